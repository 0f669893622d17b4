"""One function for each producer: it prints a paper, given as a dictionary of markup, to a PDF."""

import html
import os
import re
import subprocess
import tempfile
import unicodedata

from markup import printed, tokens

FONTS = "/usr/share/fonts/truetype/dejavu"

TEXCHARS = {
    "−": r"$-$", "±": r"$\pm$", "∓": r"$\mp$", "×": r"$\times$", "·": r"$\cdot$", "≤": r"$\leq$", "≥": r"$\geq$",
    "<": "$<$", ">": "$>$", "≈": r"$\approx$", "≠": r"$\neq$", "∼": r"$\sim$", "≪": r"$\ll$", "µ": r"$\mu$",
    "°": r"$^\circ$", "Ω": r"$\Omega$", "′": r"$'$", "″": r"$''$", "%": r"\%", "&": r"\&", "_": r"\_", "#": r"\#", "$": r"\$",
    "–": "--", "—": "---", "‐": "-", "\u2011": r"\mbox{-}", "\u00ad": r"\-", "“": "``", "”": "''",
    "‘": "`", "’": "'", "\u2009": r"\,", "\u00a0": "~", "ł": r"{\l}", "Ł": r"{\L}", "ø": r"{\o}", "Ø": r"{\O}",
    "ß": r"{\ss}", "æ": r"{\ae}", "Æ": r"{\AE}", "œ": r"{\oe}", "Œ": r"{\OE}", "å": r"{\aa}", "Å": r"{\AA}",
    "¿": r"{\textquestiondown}", "¡": r"{\textexclamdown}", "†": r"$\dagger$", "‡": r"$\ddagger$", "∗": "$*$",
    "ı": r"{\i}", "§": r"\S{}",
}
TEXMARKS = {"\u0301": r"\'", "\u0300": r"\`", "\u0302": r"\^", "\u0308": r'\"', "\u0303": r"\~", "\u030c": r"\v",
            "\u0327": r"\c", "\u0328": r"\k", "\u0307": r"\.", "\u030b": r"\H", "\u0306": r"\u", "\u0323": r"\d",
            "\u0326": r"\textcommabelow", "\u030a": r"\r", "\u0304": r"\="}
MATHCHARS = {"−": "-", "±": r"\pm ", "∓": r"\mp ", "×": r"\times ", "·": r"\cdot ", "≤": r"\leq ", "≥": r"\geq ",
             "≈": r"\approx ", "≠": r"\neq ", "∼": r"\sim ", "≪": r"\ll ", "%": r"\%", "µ": r"\mu ", "°": r"^\circ ",
             "Ω": r"\Omega ", ",": "{,}", " ": r"\,", "\u2009": r"\,", "′": "'", "†": r"\dagger ", "–": r"\mbox{--}",
             "‡": r"\ddagger ", "∗": "*"}
SIGNS = set("−±∓×·≤≥<>≈≠∼≪")


def is_math(markup):
    """Reports whether TeX and Typst would print a number as a formula."""
    return any(k in ("sup", "sub") or k == "text" and SIGNS & set(t) for k, t in tokens(markup))


def tex_text(s):
    out = []
    for c in s:
        if c in TEXCHARS:
            out.append(TEXCHARS[c])
            continue
        base, *marks = unicodedata.normalize("NFD", c) if ord(c) > 127 else c
        base = {"i": r"\i"}.get(base, base) if marks and marks[0] not in "\u0327\u0328\u0323" else base
        for m in marks:
            base = f"{TEXMARKS[m]}{{{base}}}"
        out.append(base)
    return "".join(out)


def tex_math(s):
    def run(m):
        return m.group() if len(m.group()) == 1 else rf"\mathrm{{{m.group()}}}"

    s = re.sub(r"[A-Za-zÅ]+", run, s)
    return "".join(MATHCHARS.get(c, r"\mbox{\AA}" if c == "Å" else c) for c in s)


def tex(markup, unicode=False):
    text = (lambda s: "".join(TEXCHARS[c] if c in '%&_#$−±∓×·≤≥<>≈≠∼≪µ°Ω′″\u2011\u00ad\u2009\u00a0†‡∗' else c for c in s)) if unicode else tex_text
    out = []
    for kind, part in _pieces(markup):
        if kind == "formula":
            inner = "".join(f"^{{{tex_math(t)}}}" if k == "sup" else f"_{{{tex_math(t)}}}" if k == "sub" else tex_math(t)
                            for k, t in tokens(part) if k != "note")
            out.append(f"${inner}$" + "".join(f"$^{{{tex_math(t)}}}$" for k, t in tokens(part) if k == "note"))
            continue
        for k, t in tokens(part):
            if k in ("sup", "note"):
                out.append(f"$^{{{tex_math(t)}}}$")
            elif k == "sub":
                out.append(f"$_{{{tex_math(t)}}}$")
            elif k == "math":
                out.append(f"${t[0]}$" if not t[0].startswith("!") else t[0][1:])
            elif k == "br":
                out.append(r"\linebreak{}")
            else:
                out.append(text(t))
    return "".join(out)


def _pieces(s):
    """Splits a text into ("formula", markup) for numbers that are formulas, and ("text", markup)."""
    from markup import parts

    for kind, markup, _ in parts(s):
        yield ("formula" if kind == "number" and is_math(markup) else "text"), markup


# Fewer sizes of the fonts, for smaller files.
SIZES = "".join(rf"\DeclareFontShape{{{e}}}{{{f}}}{{{w}}}{{{s}}}{{<-8>{small}<8->{large}}}{{}}" for e, f, w, s, small, large in [
    ("OT1", "cmr", "m", "n", "cmr7", "cmr10"), ("OT1", "cmr", "bx", "n", "cmbx10", "cmbx10"), ("OML", "cmm", "m", "it", "cmmi7", "cmmi10"),
    ("OMS", "cmsy", "m", "n", "cmsy7", "cmsy10")])
SIZES_T1 = SIZES + "".join(rf"\DeclareFontShape{{T1}}{{cmr}}{{{w}}}{{n}}{{<->{font}}}{{}}" for w, font in [("m", "ecrm1000"), ("bx", "ecbx1000")])

PREAMBLE = {
    "ot1": "", "ot1two": "", "ot1bit": "", "private": "",
    "t1": r"\usepackage[T1]{fontenc}", "t1two": r"\usepackage[T1]{fontenc}", "t1bit": r"\usepackage[T1]{fontenc}",
    "lua": r"\usepackage{fontspec}",
}


def tex_source(p, variant):
    lua = variant == "lua"
    t = lambda s: tex(s, lua)
    two = "twocolumn" if variant.endswith("two") or p.get("two") else ""
    bitmap = "\\pdfmapfile{empty.map}\\pdfpkresolution=300\n" if variant.endswith("bit") else ""
    fixed = r"\pdfvariable suppressoptionalinfo 767 " if lua else r"\pdftrailerid{}"
    sizes = "" if lua else r"\usepackage[T1]{fontenc}" + SIZES_T1 if "T1" in PREAMBLE[variant] else r"\usepackage[OT1]{fontenc}" + SIZES
    out = [bitmap + fixed + rf"\documentclass[10pt,{p.get('paper', 'a4paper')},{two}]{{article}}",
           PREAMBLE[variant], sizes, r"\usepackage{booktabs}", p.get("preamble", ""),
           rf"\title{{{t(p['title'])}}}\author{{{t(p['authors'])}}}\date{{}}", r"\begin{document}", p.get("begin", ""), r"\maketitle"]
    if p.get("abstract"):
        out.append(rf"\begin{{abstract}}{t(p['abstract'])}\end{{abstract}}")
    for title, blocks in p["sections"]:
        out.append(rf"\section{{{t(title)}}}" if title else "")
        for b in blocks:
            out.append(tex_block(b, t))
    if p.get("references"):
        out.append(r"\begin{thebibliography}{9}")
        out += [rf"\bibitem{{r{i}}} {t(r)}" for i, r in enumerate(p["references"])]
        out.append(r"\end{thebibliography}")
    return "\n".join(out + [r"\end{document}", ""])


def tex_block(b, t):
    if isinstance(b, str):
        return t(b) + "\n"
    kind, *args = b
    if kind == "table":
        caption, rows = args
        body = "\\\\\n".join(" & ".join(t(c) for c in r) for r in rows[1:])
        return (r"\begin{table}[h]\caption{%s}\centering\begin{tabular}{l%s}\toprule %s\\\midrule %s\\\bottomrule\end{tabular}\end{table}"
                % (t(caption), "c" * (len(rows[0]) - 1), " & ".join(t(c) for c in rows[0]), body)) + "\n"
    if kind == "lines":
        return "\\par\\noindent " + "\\\\\n".join(t(x) for x in args[0]) + "\n\n"
    if kind == "display":
        return rf"\[ {tex_math(printed(args[0]))} \]"
    if kind == "margin":
        return rf"\mbox{{}}\marginpar{{\raggedright {t(args[0])}}}"
    if kind == "tex":
        return args[0]
    if kind in ("typst", "html"):
        return ""
    raise ValueError(kind)


def run_tex(p, variant, out):
    engine = "lualatex" if variant == "lua" else "pdflatex"
    with tempfile.TemporaryDirectory() as d:
        open(os.path.join(d, "empty.map"), "w").close()
        with open(os.path.join(d, "paper.tex"), "w") as f:
            f.write(tex_source(p, variant))
        for _ in range(2):
            r = subprocess.run([engine, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"], cwd=d, capture_output=True,
                               text=True, errors="replace", env=os.environ | {"FORCE_SOURCE_DATE": "1"})
        if r.returncode:
            raise SystemExit(f"{out}: " + "\n".join(x for x in r.stdout.splitlines() if x.startswith(("!", "l."))))
        with open(os.path.join(d, "paper.pdf"), "rb") as f, open(out, "wb") as g:
            g.write(f.read())


# Typst


def typ_text(s):
    return re.sub(r"([#$*_@<>`\\~\[\]/=])", r"\\\1", s).replace("---", "\\---")


def typ_math(s):
    s = re.sub(r"[A-Za-zÅΩµ°%′]{2,}|[°%′Å]", lambda m: f'"{m.group()}"', s)
    return s.replace(" ", " thin ").replace("\u2009", " thin ").replace(",", '","').replace("<", "lt").replace(">", "gt")


def typ(markup):
    out = []
    for kind, part in _pieces(markup):
        if kind == "formula":
            inner = "".join(f"^({typ_math(t)})" if k == "sup" else f"_({typ_math(t)})" if k == "sub" else typ_math(t)
                            for k, t in tokens(part) if k != "note")
            out.append(f"${inner}$" + "".join(f"#super[{typ_text(t)}]" for k, t in tokens(part) if k == "note"))
            continue
        for k, t in tokens(part):
            if k in ("sup", "note"):
                out.append(f"#super[{typ_text(t)}]")
            elif k == "sub":
                out.append(f"#sub[{typ_text(t)}]")
            elif k == "math":
                out.append(typ_text(t[1]))
            elif k == "br":
                out.append(" \\ ")
            else:
                out.append(typ_text(t))
    return "".join(out).replace(" \\  ", " \\ ")


def typst_source(p):
    font = p.get("font", "Libertinus Serif")
    out = ["#set document(date: none)", f'#set page(paper: "a4", numbering: "1", columns: {2 if p.get("two") else 1})',
           f'#set text(font: "{font}", size: 10pt, lang: "{p.get("lang", "en")}", hyphenate: true)', "#set par(justify: true)",
           '#set heading(numbering: "1")', p.get("typst", ""),
           f"#place(top + center, scope: \"parent\", float: true)[#align(center)[#text(17pt, weight: \"bold\")[{typ(p['title'])}]\n\n{typ(p['authors'])}]]"]
    if p.get("abstract"):
        out.append(f"#heading(numbering: none)[{p.get('abstract_title', 'Abstract')}]\n{typ(p['abstract'])}")
    for title, blocks in p["sections"]:
        if title:
            out.append(f"= {typ(title)}")
        for b in blocks:
            out.append(typst_block(b))
    if p.get("references"):
        out.append("#heading(numbering: none)[References]")
        out += [f"\\[{i}\\] {typ(r)}\n" for i, r in enumerate(p["references"], 1)]
    return "\n".join(out) + "\n"


def typst_block(b):
    if isinstance(b, str):
        return typ(b) + "\n"
    kind, *args = b
    if kind == "table":
        caption, rows = args
        cells = ",\n".join(", ".join(f"[{typ(c)}]" for c in r) for r in rows[1:])
        head = ", ".join(f"[{typ(c)}]" for c in rows[0])
        return (f"#figure(kind: table, table(columns: {len(rows[0])}, stroke: none, table.hline(), table.header({head}), table.hline(),\n"
                f"{cells}, table.hline()), caption: figure.caption(position: top)[{typ(caption)}])\n")
    if kind == "lines":
        return " \\\n".join(typ(x) for x in args[0]) + "\n"
    if kind == "display":
        return f"$ {typ_math(printed(args[0]))} $"
    if kind == "typst":
        return args[0]
    if kind == "margin":
        return f"#place(right, dx: 2cm)[{typ(args[0])}]"
    return ""


def run_typst(p, variant, out):
    import typst

    with tempfile.TemporaryDirectory() as d:
        with open(os.path.join(d, "paper.typ"), "w") as f:
            f.write(typst_source(p | ({"two": True} if variant == "typsttwo" else {})))
        typst.compile(os.path.join(d, "paper.typ"), output=out, font_paths=[FONTS], ignore_system_fonts=True)


# WeasyPrint and ReportLab


def inline(markup, sup, sub, br):
    out = []
    for k, t in tokens(printed(markup)):
        if k in ("sup", "note"):
            out.append(f"<{sup}>{html.escape(t, False)}</{sup}>")
        elif k == "sub":
            out.append(f"<{sub}>{html.escape(t, False)}</{sub}>")
        elif k == "math":
            out.append(html.escape(t[1], False))
        else:
            out.append(f"<{br}/>" if k == "br" else html.escape(t, False))
    return "".join(out)


def run_weasy(p, variant, out):
    from weasyprint import HTML

    t = lambda s: inline(s, "sup", "sub", "br")
    two = "main{columns:2}" if variant == "weasytwo" or p.get("two") else ""
    font = p.get("webfont", "DejaVu Serif")
    css = (f"@page{{size:A4;margin:2.2cm}}body{{font:9pt {font};text-align:justify;hyphens:auto}}{two}sup,sub{{font-size:65%;line-height:0}}"
           "h1,h2{hyphens:none}h1,.by{text-align:center}table{border-collapse:collapse;margin:auto;border-top:1pt solid;border-bottom:1pt solid}"
           "th{border-bottom:.5pt solid}td,th{padding:1pt 6pt}figure{margin:6pt 0;text-align:center}aside{position:absolute;right:-1.4cm;width:1.2cm}")
    b = [f"<html lang={p.get('lang', 'en')} dir={'rtl' if p.get('lang') in ('he', 'ar') else 'ltr'}><style>{css}{p.get('css', '')}</style>",
         f"<h1>{t(p['title'])}</h1><p class=by>{t(p['authors'])}</p><main>"]
    if p.get("abstract"):
        b.append(f"<h2>{p.get('abstract_title', 'Abstract')}</h2><p>{t(p['abstract'])}</p>")
    for n, (title, blocks) in enumerate(p["sections"], 1):
        if title:
            b.append(f"<h2>{n} {t(title)}</h2>")
        for x in blocks:
            if isinstance(x, str):
                b.append(f"<p>{t(x)}</p>")
            elif x[0] == "table":
                number = sum(1 for y in b if y.startswith("<figure>")) + 1
                rows = "".join("<tr>" + "".join(f"<{c}>{t(y)}</{c}>" for y in r) + "</tr>" for i, r in enumerate(x[2]) for c in ["td" if i else "th"])
                b.append(f"<figure><figcaption>Table {number}: {t(x[1])}</figcaption><table>{rows}</table></figure>")
            elif x[0] == "lines":
                b.append("<p>" + "<br>".join(t(y) for y in x[1]) + "</p>")
            elif x[0] == "display":
                b.append(f"<p style='text-align:center'>{t(x[1])}</p>")
            elif x[0] == "margin":
                b.append(f"<aside>{t(x[1])}</aside>")
            elif x[0] == "html":
                b.append(x[1])
    if p.get("references"):
        b.append("<h2>References</h2>" + "".join(f"<p>[{i}] {t(r)}</p>" for i, r in enumerate(p["references"], 1)))
    HTML(string="\n".join(b)).write_pdf(out, pdf_identifier=b"airqa")


def run_reportlab(p, variant, out):
    from reportlab.lib import colors
    from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Spacer, Table

    register_fonts()
    t = lambda s: inline(ligatures(s) if p.get("glyphs") else s, "super", "sub", "br")
    font, bold = (p["rlfont"], p["rlfont"] + "-Bold") if p.get("rlfont") else ("Times-Roman", "Times-Bold")
    body = ParagraphStyle("body", fontName=font, fontSize=9, leading=12, alignment=TA_JUSTIFY, spaceAfter=5)
    head = ParagraphStyle("head", parent=body, fontName=bold, fontSize=11, leading=14, spaceBefore=6)
    title = ParagraphStyle("title", parent=head, fontSize=15, leading=19, alignment=TA_CENTER)
    centred = ParagraphStyle("centred", parent=body, alignment=TA_CENTER)
    story = [Paragraph(t(p["title"]), title), Paragraph(t(p["authors"]), centred)]
    if p.get("abstract"):
        story += [Paragraph("Abstract", head), Paragraph(t(p["abstract"]), body)]
    tables = 0
    for n, (name, blocks) in enumerate(p["sections"], 1):
        if name:
            story.append(Paragraph(f"{n} {t(name)}", head))
        for x in blocks:
            if isinstance(x, str):
                story.append(Paragraph(t(x), body))
            elif x[0] == "table":
                tables += 1
                story.append(Paragraph(f"Table {tables}: {t(x[1])}", centred))
                story.append(Table([[Paragraph(t(c), body) for c in r] for r in x[2]], colWidths=[min(100, (214 if variant == "rltwo" else 440) / len(x[2][0]))] * len(x[2][0]),
                                   style=[("LINEABOVE", (0, 0), (-1, 0), 1, colors.black), ("LINEBELOW", (0, 0), (-1, 0), .5, colors.black),
                                          ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black), ("TOPPADDING", (0, 0), (-1, -1), 1),
                                          ("BOTTOMPADDING", (0, 0), (-1, -1), 0)]))
                story.append(Spacer(1, 8))
            elif x[0] == "lines":
                story.append(Paragraph("<br/>".join(t(y) for y in x[1]), body))
            elif x[0] == "display":
                story.append(Paragraph(t(x[1]), centred))
    if p.get("references"):
        story.append(Paragraph("References", head))
        story += [Paragraph(f"[{i}] {t(r)}", body) for i, r in enumerate(p["references"], 1)]
    w, h = A4
    doc = BaseDocTemplate(out, pagesize=A4, invariant=1)
    if variant == "rltwo":
        frames = [Frame(56, 60, 232, h - 120), Frame(306, 60, 232, h - 120)]
    else:
        frames = [Frame(66, 60, w - 132, h - 120)]
    doc.addPageTemplates([PageTemplate(frames=frames)])
    doc.build(story)


def ligatures(s):
    """The text with the characters of ligatures, as producers write them that do not map them back to letters."""
    for letters, glyph in ("ffi", "ﬃ"), ("ffl", "ﬄ"), ("ff", "ﬀ"), ("fi", "ﬁ"), ("fl", "ﬂ"):
        s = s.replace(letters, glyph)
    return s


def register_fonts():
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    if "DejaVuSerif" not in pdfmetrics.getRegisteredFontNames():
        for name in ("DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSans", "DejaVuSans-Bold"):
            pdfmetrics.registerFont(TTFont(name, f"{FONTS}/{name}.ttf"))


def run_private(p, variant, out):
    """pdfTeX's OT1 file, whose formula fonts then map their codes to U+F0xx, as some distillers do."""
    import pikepdf

    run_tex(p, "private", out)
    pdf = pikepdf.open(out, allow_overwriting_input=True)
    codes = "\n".join(f"<{c:02x}> <f0{c:02x}>" for c in range(100))
    more = "\n".join(f"<{c:02x}> <f0{c:02x}>" for c in range(100, 128))
    cmap = ("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Private def /CMapType 2 def\n"
            "1 begincodespacerange <00> <ff> endcodespacerange\n"
            f"100 beginbfchar\n{codes}\nendbfchar\n28 beginbfchar\n{more}\nendbfchar\nendcmap end end\n").encode()
    for obj in pdf.objects:
        if isinstance(obj, pikepdf.Dictionary) and obj.get("/Type") == "/Font" and re.search(r"\+CM(MI|SY)", str(obj.get("/BaseFont"))):
            obj["/ToUnicode"] = pdf.make_stream(cmap)
    pdf.save(out, deterministic_id=True)


def run(p, variant, out):
    if variant == "private":
        run_private(p, variant, out)
    elif variant in PREAMBLE:
        run_tex(p, variant, out)
    elif variant.startswith("typst"):
        run_typst(p, variant, out)
    elif variant.startswith("weasy"):
        run_weasy(p, variant, out)
    else:
        run_reportlab(p, variant, out)


NAMES = {
    "ot1": "pdfTeX, OT1 outline fonts", "ot1two": "pdfTeX, OT1 outline fonts, two columns", "ot1bit": "pdfTeX, OT1 bitmap fonts",
    "t1": "pdfTeX, T1 outline fonts", "t1two": "pdfTeX, T1 outline fonts, two columns", "t1bit": "pdfTeX, T1 bitmap fonts",
    "lua": "LuaTeX", "typst": "Typst", "typsttwo": "Typst, two columns", "weasy": "WeasyPrint", "weasytwo": "WeasyPrint, two columns",
    "rl": "ReportLab", "rltwo": "ReportLab, two columns", "private": "pdfTeX, OT1, formula fonts mapped to private-use codes",
}
