#!/usr/bin/env python3
"""Makes the papers and truth.json. See README.md for the producers it needs.

    make.py [NAME...]    all papers, or those whose file name contains a NAME (the truth is always written whole)
"""

import json
import os
import re
import sys

sys.dont_write_bytecode = True

os.environ["SOURCE_DATE_EPOCH"] = "1893456000"  # 2030-01-01: same input, same bytes

import furniture
import markup
import producers
import texts

HERE = os.path.dirname(os.path.abspath(__file__))


FILL = furniture.paragraphs(3, 5, 40)


def filled(p):
    """The paper with a longer introduction, which fills the first of two columns."""
    (title, blocks), *rest = p["sections"]
    return p | {"sections": [(title, blocks + FILL)] + rest}


def truth(p):
    """The fields of a paper."""
    out = [markup.whole(p["title"], "title", "title")]
    if p.get("abstract") and p.get("lang", "en") == "en":
        out += markup.fields(p["abstract"], "abstract")
    elif p.get("abstract"):
        out += markup.fields(p["abstract"])
    tables = 0
    for title, blocks in p["sections"]:
        if title and p.get("lang", "en") == "en":
            out.append(markup.whole(title, "title", "section"))
        for b in blocks:
            if isinstance(b, str):
                out += markup.fields(b, reach=6 if b in FILL else p.get("reach", 2))
                if p.get("whole"):
                    out += markup.overlapping(b)
            elif b[0] == "table":
                tables += 1
                out += table(b, tables, p)
            elif b[0] == "lines":
                out += [f for x in b[1] for f in markup.fields(x)]
            elif b[0] in ("display", "margin"):
                out += markup.fields(b[1])
    out += [markup.whole(r, "words", "reference") for r in p.get("references", [])]
    return out + p.get("fields", [])


def table(block, number, p):
    _, caption, rows = block
    out = [{"kind": "label", "text": f"Table {number}", "where": "caption"}, markup.whole(caption, "words", "caption")]
    key = p.get("key", 0)
    for row in rows[1:]:
        for column, cell in enumerate(row):
            if column == key:
                continue
            accepted = p.get("cells", {}).get(cell) or markup.forms(cell)
            f = {"kind": "number", "text": accepted[0], "where": "cell", "row": row[key], "column": column}
            if key:
                f["key"] = key
            if len(accepted) > 1:
                f["accept"] = accepted[1:]
            out.append(f)
    return out


def check(name, p, fields):
    """The words before a field lead to one place of the paper, and plain words have no ligature."""
    faults = []
    all_text = " ".join(markup.printed(b) for _, blocks in p["sections"] for b in blocks if isinstance(b, str)) + " " + markup.printed(p.get("abstract", ""))
    for f in fields:
        if "before" in f and all_text.count(f["before"] + " ") != 1:
            faults.append(f"{name}: {f['before']!r} occurs {all_text.count(f['before'])} times")
    if not p.get("ligatures") and re.search(r"f[fil]", all_text):
        faults.append(f"{name}: a ligature in {re.search(r'.{9}f[fil].{9}', all_text)}")
    return faults


def main():
    wanted, papers, shared, faults = sys.argv[1:], [], {}, []
    os.makedirs(f"{HERE}/papers", exist_ok=True)
    for text in texts.TEXTS:
        for variant in text["on"]:
            fill = variant.endswith("two") and not text.get("bare") and not text.get("whole")
            p = filled(text) if fill else text
            name = f"{p['name']}-{variant}"
            source = p["name"] + (" in two columns" if fill else "")
            shared[source] = truth(p)
            faults += check(name, p, shared[source])
            if not wanted or any(w in name for w in wanted):
                producers.run(p, variant, f"{HERE}/papers/{name}.pdf")
            papers.append({"name": name, "producer": producers.NAMES[variant], "varies": p["varies"], "text": source, "fields": []})
    for name, write, sheet, varies in furniture.papers():
        if not wanted or any(w in name for w in wanted):
            write(f"{HERE}/papers/{name}.pdf")
        source = sheet.text or name
        shared[source] = sheet.shared or sheet.fields
        papers.append({"name": name, "producer": "ReportLab", "varies": varies, "text": source, "fields": sheet.fields if sheet.shared else []})
    if faults:
        raise SystemExit("\n".join(faults))
    with open(f"{HERE}/truth.json", "w") as f:
        f.write('{"texts": {\n' + ",\n".join(f"{quoted(name)}: {listed(fields)}" for name, fields in shared.items()))
        f.write('},\n"papers": [\n' + ",\n".join(quoted(p) for p in papers) + "]}\n")


def quoted(value):
    return json.dumps(value, ensure_ascii=False)


def listed(fields):
    return "[\n" + ",\n".join(quoted(f) for f in fields) + "]"


main()
