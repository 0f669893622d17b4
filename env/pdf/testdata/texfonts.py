#!/usr/bin/env python3
"""Writes ../texfonts.txt from the metrics and encodings of a TeX installation (Debian: texlive-latex-base,
texlive-fonts-recommended, cm-super-minimal) and from Adobe's Symbol.afm, one of the metrics of the 14 standard fonts.

    texfonts.py Symbol.afm > ../texfonts.txt
"""
import re
import subprocess
import sys

TEXT = "5 6 7 8 9 10 12 17"
FONTS = {
    "cmr": TEXT, "cmbx": "5 6 7 8 9 10 12", "cmti": "7 8 9 10 12", "cmss": "8 9 10 12 17",
    "cmssbx": "10", "cmssi": "8 10", "cmtt": "8 9 10 12", "cmitt": "10", "cmsltt": "10", "cmcsc": "10", "cmbxti": "10",
    "cmb": "10", "cmu": "10", "cmmi": "5 6 7 8 9 10 12", "cmmib": "5 7 10", "cmsy": "5 6 7 8 9 10",
    "cmbsy": "5 7 10", "cmex": "10", "msam": "5 7 10", "msbm": "5 7 10", "eufm": "5 7 10", "rsfs": "5 7 10",
    "ecrm": "0500 0700 0800 1000 1200 1728", "ecbx": "0700 1000 1200", "ecti": "0800 1000 1200", "ecss": "1000", "ecsx": "1000", "ectt": "0800 1000 1200", "eccc": "1000", "ecbi": "1000", "ecit": "1000", "ecst": "1000",
    "tcrm": "0500 0700 0800 1000 1200", "tcbx": "1000", "tcti": "1000", "tcss": "1000", "tctt": "1000",
}
CM_SUPER = {"ec": "t1", "tc": "ts1"}
# PIECE is a part of a big bracket, NONE a code without a character.
NONE, PIECE = "␀", "␢"
# Letters rather than signs that look like them, and marks that ingest/layout composes.
PREFER = {
    0x2126: "Ω", 0x2206: "Δ", 0xB5: "μ", 0xAD: "-", 0x2D9: "˙", 0xA0: "␣", 0x2D: "-", 0x2010: "-", 0x3D1: "ϑ", 0x2215: "/",
    0x2CB: "`", 0x2329: "⟨", 0x232A: "⟩", 0x3008: "⟨", 0x3009: "⟩", 0x3F5: "ϵ",
}
NAMES = {
    "suppress": "\u0335", "lslash": "ł", "mapsto": "↦", "negationslash": "\u0338", "ff": "ff", "fi": "fi", "fl": "fl", "ffi": "ffi",
    "ffl": "ffl", "dotlessj": "ȷ", "cwm": NONE, "compwordmark": NONE, "visiblespace": "␣", "perthousandzero": NONE,
    "hyphenchar": "-", "hyphen": "-", "sfthyphen": "-", "SS": "SS", "Ng": "Ŋ", "ng": "ŋ", "hyphen.alt": "-",
    "vector": "\u20d7", "slurabove": "⁀", "lscript": "ℓ", "weierstrass": "℘", "nbspace": NONE, "space": "␣", "coproduct": "∐",
    "arrowlefttophalf": "↼", "arrowleftbothalf": "↽", "arrowrighttophalf": "⇀", "arrowrightbothalf": "⇁",
    "braceleftmid": "{", "bracerightmid": "}", "space_uni0309": "\u0309",
    "macron.ts1": "¯", "arrowhookleft": "\u2e26", "arrowhookright": "\u2e27", "star": "⋆", "asteriskmath": "∗", "bullet": "•",
    "prime": "′", "triangleright": "▷", "triangleleft": "◁", "openbullet": "◦", "hat": "ˆ", "vextendsingle": "|",
    "vextenddouble": "∥", "contintegral": "∮", "circledot": "⊙", "circleplus": "⊕", "circlemultiply": "⊗", "summation": "∑",
    "product": "∏", "union": "⋃", "intersection": "⋂", "unionmulti": "⨄", "unionsq": "⨆", "logicaland": "⋀", "logicalor": "⋁",
    "quotesinglbase": ",", "barshort": "∣", "parallelshort": "∥", "zerowidthnonjoiner": NONE,
    "zwnonjoiner": NONE, "afii61664": NONE, "square": "□", "hyphendbl": "⹀", "k": "k", "bigcircle": "◯", "circlecopyrt": "◯",
}

def kpse(name):
    return subprocess.run(["kpsewhich", name], capture_output=True, text=True).stdout.strip()


def utf16(codes):
    return b"".join(int(c, 16).to_bytes(2 if len(c) <= 4 else 4, "big") for c in codes.split()).decode("utf-16-be")


def unicodes():
    out = {}
    for line in open(kpse("glyphtounicode.tex"), encoding="latin1"):
        if m := re.match(r"\\pdfglyphtounicode\{([^}]+)\}\{([0-9A-F ]+)\}", line):
            out.setdefault(m[1], "".join(PREFER.get(ord(c), c) for c in utf16(m[2])))
    return out


def encoding(font, family):
    """The glyph names by code."""
    kind = CM_SUPER.get(family[:2])
    if kind:
        names = re.findall(r"^\s*/(\S+)", open(kpse(f"cm-super-{kind}.enc"), encoding="latin1").read(), re.M)[1:]
        return {c: n for c, n in enumerate(names) if n != ".notdef"}
    head = open(kpse(font + ".pfb"), "rb").read(20000).decode("latin1")
    return {int(c): n for c, n in re.findall(r"dup (\d+)\s*/(\S+) put", head)}


def widths(font):
    """The widths in 1/500 em by code."""
    pl = subprocess.run(["tftopl", "-charcode-format=octal", kpse(font + ".tfm")], capture_output=True, text=True).stdout
    out = {}
    for m in re.finditer(r"\(CHARACTER (?:O (\d+)|C (.))\n(?:\s*\(CHARWD R ([\d.]+))?", pl):
        out[int(m[1], 8) if m[1] else ord(m[2])] = min(1295, round(500 * float(m[3] or 0)))
    return out


def shown(name, known):
    if name.startswith("bracehtip") or re.search(r"(tp|bt|ex|bar)$", name) and re.match(r"paren|brac|vector|arrow|radical", name):
        return PIECE
    base = re.sub(r"(big|Big|bigg|Bigg|text|display|wide|wider|widest|small|oldstyle|\.ts1|\.alt)$", "", name)
    for n in (name, base, base.lower()):
        if m := re.fullmatch(r"uni([0-9A-F]{4})", n):
            return chr(int(m[1], 16))
        if n in NAMES:
            return NAMES[n]
        if n in known and not 0xE000 <= ord(known[n][0]) <= 0xF8FF:
            return known[n]
    return NONE


def base36(n):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    return digits[n // 36] + digits[n % 36]


known, encodings, fonts = unicodes(), {}, []
for family, sizes in FONTS.items():
    for size in sizes.split():
        font = family + size
        wd = widths(font)
        names = encoding(font, family)
        table = [NONE] * 256
        for c in wd:
            table[c] = shown(names.get(c, "?"), known)
        table = tuple(table)
        key = next((n for n, t in encodings.items() if t == table), None)
        if key is None:
            key = family
            encodings[key] = table
        top = max(wd) + 1
        fonts.append((re.sub("^ec", "sf", font).upper(), key, "".join(base36(wd[c]) if c in wd else "--" for c in range(top))))
# The encodings of other families: fonts with the same codes under another name, and the symbol fonts of offices.
SAME = {
    "cmr": "cmsl cmbxsl texcmroman", "cmmi": "texcmmathsitalic mtmi mtmib rmtmi rtxmi rtxbmi rpxmi rpxbmi lmmathitalic",
    "cmsy": "texcmmathssymbols mtsy mtsyb mtsyn txsys txbsys pxsys pxbsys lmmathsymbols ntxsy", "msbm": "txsyb pxsyb",
    "cmex": "texcmmathsextension mtex txex txexs txbex pxex pxexs lmmathextension", "msam": "txsya pxsya", "txsyc": "pxsyc txbsyc pxbsyc",
    "ecrm": "ecbx ecti ecss ecsx ectt eccc ecbi ecit ecst ecsl sfrm sfbx sfti sfsl sfss sfsx sftt sfcc sfbi sfit sfst", "symbol": "symbolmt symbolneu",
}
symbol = ["\u2400"] * 256
for line in open(sys.argv[1]):
    if m := re.match(r"C (\d+) ;.* N (\w+) ;", line):
        symbol[int(m[1])] = PIECE if re.search(r"(tp|bt|ex|mid)$", m[2]) else shown(m[2], known)
symbol[0x20] = PIECE
encodings["symbol"] = tuple(symbol)
dings = ["\u2400"] * 256
for code, char in zip(
    (0x6C, 0x6E, 0x6F, 0x71, 0x75, 0x76, 0x77, 0x9F, 0xA0, 0xA1, 0xA7, 0xA8, 0xAB, 0xD8, 0xDF, 0xE0, 0xE8, 0xF0, 0xFB, 0xFC, 0xFD, 0xFE),
    "\u25cf\u25a0\u25a1\u2751\u25c6\u2756\u2b25\u2022\u25aa\u25cb\u25aa\u25fb\u2605\u27a2\u2190\u2192\u2794\u21e8\u2717\u2713\u2612\u2611",
):
    dings[code] = char
encodings["wingdings"] = tuple(dings)
txsyc = ["\u2400"] * 256  # txfonts.sty declares its symbols C
for code, char in zip(
    (7, 8, 17, 27, 32, 33, 36, 37, 38, 39, 44, 45, 46, 47, 48, 49, 50, 59, 60, 61, 64, 65, 66, 67, 94, 95, 121, 123),
    "○●≐≅≴≵⋠⋡≹≸≠≭≢≁≉⊄⊅≄∉∌⋢⋣≔≕◇◆⊥⇝",
):
    txsyc[code] = char
encodings["txsyc"] = tuple(txsyc)

print("""# TeX's fonts: made by testdata/texfonts.py. An encoding lists the characters of 16 codes a line (␀: none, ␢: a piece of a
# big bracket). A font has the name of its encoding and the widths of its codes from 0, in 1/500 em, as two digits of base 36.
# "same" lists the names of families with an encoding.""")
for n, t in encodings.items():
    print("encoding", n)
    for row in range(0, 256, 16):
        if set(t[row:row + 16]) != {NONE}:
            print("%02x" % row, " ".join(t[row:row + 16]))
for n, same in SAME.items():
    print("same", n, same)
print("""# The fonts of publishers, by the start of their names: characters of the file and what is printed for them. Codes of the
# last one differ from paper to paper.
shapes AdvPS44A44B C+ K−
shapes AdvPS3FDD77 Z=
shapes AdvPS4731B1 O> !< N∞
shapes AdvPS3F4C13 DΔ
shapes AdvMathSymb ð( Þ) ½[ \x04]
shapes AdvMathExt1 =/ :.
shapes AdvP4C4E À− Á· Â× Æ± ¼= þ+ ð( Þ) ½[
shapes MTSY À− Á· Â× Æ± ¼= þ+ ð( Þ) ½[
# The ink of characters that differ in it from others of the same width, which other encodings have at their code: its top above
# the baseline and its height, in 1/100 em.
ink 44 44 acemnorsuvwxz
ink 69 69 bdfhklABCDEFGHIKLMNOPRSTUVWXYZ
ink 65 65 0123456789
ink 75 100 |∥
ink 66 86 j
ink 44 64 gpqy
ink 27 5 −
ink 28 5 –—
ink 11 11 .
ink 44 44 :ı
ink 69 69 Γ
ink 70 25 “”‘’"
ink 68 17 ´`ˇ˘¯˚˙ˆ˜¨˝
ink 72 93 ̸
ink 54 58 ∈∋
ink 56 51 ′
ink 44 45 ∞
ink 75 100 /
ink 37 23 =
ink 44 39 •
# The characters of an encoding that are rare in texts, or in formulas for a font of these; "text" is for all others. Fonts of a
# few symbols are rare as a whole.
rare text \\{}<>_^~$@#|¡¿↑↓£ĄĂŊŔĹĽ␣‹›‚ΓΔΘΛΞΠΣΥΦΨΩȷ
rare cmmi 0123456789↼↽⇀⇁⸦⸧▷◁⋆♭♮♯⌣⁀℘
rare cmsy ≀⊣⊢↕⇕\\⨿⊔⊓⊑⊒⊎∫≍⪯⪰⊖⊘◯⋄↗↘↖↙ℵℜℑ♣♦♥♠¶△▽∋∀∃
rare cmex ∐⨆⨄∮ˆ˜⊙
rare msam *
rare msbm *
rare eufm *
rare rsfs *
rare tcrm""", "".join(sorted(set(encodings["tcrm"]) - set("•†‡§¶°©®™±×−→←€£" + NONE + PIECE))) + "\nencoding mathematicalpi")
for font in fonts:
    print("font", *font)
