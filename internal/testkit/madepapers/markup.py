"""The markup of the texts, and the truth that follows from it.

    <<...>>   a number that must be found      [[...]]   words that must be found
    <<a|b>>   a is printed, b (and c, ...) is what a reader must give
    ^{20}     exponent                         _{0.05}   index
    ^[3]      a note mark                      \\br      a forced line break
    \\m{TEX}{PLAIN}   a formula for TeX, and the same in Unicode for the other producers
"""

import itertools
import re

FIELD = re.compile(r"<<(.*?)>>|\[\[(.*?)\]\](?!\])")
TOKEN = re.compile(r"\^\{([^}]*)\}|_\{([^}]*)\}|\^\[([^\]]*)\]|(\\br)|\\m\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}\{([^}]*)\}")


def tokens(s):
    """Splits markup into (kind, text): text, sup, sub, note, br, math (text is then TeX and plain)."""
    at = 0
    for m in TOKEN.finditer(s):
        if m.start() > at:
            yield "text", s[at : m.start()]
        for kind, group in (("sup", 1), ("sub", 2), ("note", 3), ("br", 4)):
            if m.group(group) is not None:
                yield kind, m.group(group)
        if m.group(5) is not None:
            yield "math", (m.group(5), m.group(6))
        at = m.end()
    if at < len(s):
        yield "text", s[at:]


def parts(s):
    """Splits a text into (kind, markup, accepted forms): kind is plain, number or words."""
    at = 0
    for m in FIELD.finditer(s):
        if m.start() > at:
            yield "plain", s[at : m.start()], []
        body = m.group(1) if m.group(1) is not None else m.group(2)
        printed, *given = body.split("|")
        yield ("number" if m.group(1) is not None else "words"), printed, given or forms(printed)
        at = m.end()
    if at < len(s):
        yield "plain", s[at:], []


def printed(s):
    """The text without its fields' marks and accepted forms: what a producer prints."""
    return "".join(markup for _, markup, _ in parts(s))


def forms(markup, trim=True):
    """The forms in which a reader may give a piece of markup, the best first."""
    choices, before = [], ""
    for kind, text in tokens(markup):
        digit = before[-1:].isdigit() or before[-1:] in ".)"
        if kind == "sup":  # between a letter and a digit the mark may be left out, after a digit it may not
            choices.append(["^" + text] if digit else ["^" + text, text])
        elif kind == "sub":
            choices.append(["_" + text] if digit else ["_" + text, text])
        elif kind == "note":
            choices.append([" " + text, "^" + text, ""] + ([] if digit else [text]))
        elif kind == "br":
            choices.append([""])
        elif kind == "math":
            choices.append([text[1]])
            text = text[1]
        else:
            choices.append([text])
        before = text
    joined = ["".join(c) for c in itertools.product(*choices)]
    return [squeeze(c) for c in joined] if trim else joined


def squeeze(s):
    return re.sub(r"\s+", " ", s).strip()


def fields(s, where="text", reach=2, longest=8):
    """The fields of a paragraph: its numbers and words with up to reach words before them and one after, and the runs of
    words between."""
    pieces = list(parts(s))
    found = []
    for i, (kind, markup, accepted) in enumerate(pieces):
        if kind == "plain":
            found += runs(markup, where, longest)
            continue
        before = re.sub(TOKEN, " ", pieces[i - 1][1]).split() if i > 0 and pieces[i - 1][0] == "plain" else []
        after = re.sub(TOKEN, " ", pieces[i + 1][1]).split() if i + 1 < len(pieces) else []
        f = {"kind": kind, "text": accepted[0]}
        if len(accepted) > 1:
            f["accept"] = accepted[1:]
        if where != "text":
            f["where"] = where
        if len(before) >= 2 and after:
            f["before"], f["after"] = " ".join(before[-reach:]), after[0]
        found.append(f)
    return found


def runs(text, where, longest):
    """Runs of at least three words of a piece of plain text."""
    for piece in re.split(TOKEN, text)[:1] if TOKEN.search(text) else [text]:
        words = piece.split()
        for at in range(0, len(words), longest):
            run = words[at : at + longest]
            if len(run) >= 3:
                f = {"kind": "words", "text": " ".join(run)}
                if where != "text":
                    f["where"] = where
                yield f


def whole(s, kind, where):
    """The field of a text that is found as a whole, such as a title: the forms of its one or two fields combined."""
    choices = [given or forms(m) if k != "plain" else forms(m, False) for k, m, given in parts(s)]
    accepted = list(dict.fromkeys(squeeze("".join(c)) for c in itertools.product(*choices)))
    f = {"kind": kind, "text": accepted[0], "where": where}
    if len(accepted) > 1:
        f["accept"] = accepted[1:]
    return f


def overlapping(s):
    """Runs of eight words of a section's text, each of which begins in the middle of the one before: what is printed between
    two pages breaks one of them."""
    words = printed(s).split()
    return [{"kind": "words", "text": " ".join(words[at : at + 8]), "where": "content"} for at in range(0, len(words) - 7, 4)]
