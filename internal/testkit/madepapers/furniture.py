"""Papers drawn line by line: what is printed around the text (watermarks, stamps, heads, page numbers) and hidden in it."""

import io

import pikepdf
from reportlab.lib.pagesizes import letter
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen import canvas

import markup

WIDTH, HEIGHT = letter
SITES = ("Norby Velden Ellery Halden Sorby Tarn Brae Wick Skerry Oban Struan Yell Unst Fetlar Foula Papa Noss Mousa Lerwick Sumburgh "
         "Quarn Burra Trondra Hascosay Vementry Muckle Uyea Linga Orfasay Samphrey Brother Bigga Fish Lamba Gruney Balta Huney Haaf "
         "Sanday Stronsay Eday Rousay Egilsay Wyre Gairsay Shapinsay Copinsay Burray Hunda Glims Flotta Fara Cava Rysa Hoy Graemsay").split()
SENTENCES = [
    "The gauge at {s} stood at <<{m}>> metres on the last day of the record that we kept.",
    "In the harbour of {s} the mean was <<{m}>> metres and the lamp was lit all night by hand.",
    "Boats that called at {s} paid <<{c}>> crowns each and left before the tide had turned again.",
    "The log of {s} has <<{c}>> lines and is kept in a dry box under the old stairs.",
]
TITLE = "Tides of Seven Harbours"


def sentences(count, start=0):
    """Sentences with a number each, no two alike."""
    for i in range(start, start + count):
        s = SITES[i % len(SITES)] + ["", " Bay", " Head", " Sound", " Point", " Ness"][i // len(SITES)]
        yield SENTENCES[i % 4].format(s=s, m=f"{2 + i * 0.37:.2f}", c=f"{3000 + 17 * i}")


def paragraphs(count, size, start=0):
    """Paragraphs of size sentences."""
    return [" ".join(sentences(size, start + i * size)) for i in range(count)]


class Sheet:
    """A paper that is drawn from the top of a page to its foot, and the fields of what is drawn."""

    def __init__(self, top=720, left=72, right=540, font="Times-Roman", size=10, leading=13, under=None, over=None):
        self.out, self.fields, self.page = io.BytesIO(), [], 0
        self.text, self.shared = None, []  # fields that several papers have, and their name
        self.c = canvas.Canvas(self.out, pagesize=letter, invariant=1)
        self.top, self.left, self.right, self.font, self.size, self.leading = top, left, right, font, size, leading
        self.under, self.over = under, over
        self.begin()

    def begin(self):
        self.page, self.y = self.page + 1, self.top
        if self.under:
            self.c.saveState()
            self.under(self.c, self.page)
            self.c.restoreState()

    def end(self):
        if self.over:
            self.c.saveState()
            self.over(self.c, self.page)
            self.c.restoreState()
        self.c.showPage()

    def new_page(self):
        self.end()
        self.begin()

    def title(self, text=TITLE, size=17):
        self.c.setFont("Times-Bold", size)
        self.c.drawCentredString(WIDTH / 2, self.y, text)
        self.c.setFont("Times-Roman", 11)
        self.c.drawCentredString(WIDTH / 2, self.y - 24, "Otto Brandt and Rosa Lindt")
        self.y -= 56
        self.fields.append({"kind": "title", "text": text, "where": "title"})

    def heading(self, text):
        self.c.setFont("Times-Bold", 12)
        self.c.drawString(self.left, self.y, text)
        self.y -= 18
        self.fields.append({"kind": "title", "text": text, "where": "section"})

    def lines(self, text):
        """Breaks a text into the lines of the column."""
        line = ""
        for word in markup.printed(text).split():
            if pdfmetrics.stringWidth(f"{line} {word}", self.font, self.size) > self.right - self.left:
                yield line
                line = word
            else:
                line = f"{line} {word}".strip()
        yield line

    def paragraph(self, text, beside=None):
        for line in self.lines(text):
            self.c.setFont(self.font, self.size)
            self.c.drawString(self.left, self.y, line)
            if beside:
                beside(self)
            self.y -= self.leading
        self.y -= 7
        self.fields += markup.fields(text, reach=6, longest=24)

    def row(self, cells, at, key=None):
        """Draws the cells of a table's row; with a key their numbers are fields."""
        self.c.setFont(self.font, 9)
        for x, cell in zip(at, cells):
            self.c.drawString(x, self.y, cell)
        if key is not None:
            self.fields += [{"kind": "number", "text": c, "where": "cell", "row": cells[key], "column": i} for i, c in enumerate(cells) if i != key]
        self.y -= 12

    def rule(self):
        self.c.line(self.left, self.y + 9, self.right, self.y + 9)
        self.y -= 3

    def absent(self, *words, where="text"):
        self.fields += [{"kind": "absent", "text": w, "where": where} for w in words]

    def done(self):
        self.end()
        self.c.save()
        return self.out.getvalue()


def article(pages, **settings):
    """A paper of some pages, each with a section, for what is printed around it."""
    s = Sheet(**settings)
    s.title()
    for p in range(pages):
        if p:
            s.new_page()
        s.heading(f"{p + 1} " + ["Introduction", "Record", "Harbours", "Results", "Conclusion", "Appendix"][p])
        for text in paragraphs(6, 7, 42 * p):
            s.paragraph(text)
    s.text, s.shared, s.fields = f"an article of {pages} pages", s.fields, []
    return s


# Watermarks


def tiles(angle, size=14, text="qKvXz zVxKq"):
    def draw(c, page):
        c.setFillGray(0.85)
        c.setFont("Helvetica", size)
        for x in range(40, 600, 180):
            for y in range(60, 760, 90):
                c.saveState()
                c.translate(x, y)
                c.rotate(angle)
                c.drawString(0, 0, text)
                c.restoreState()

    return draw


def mark(text, angle, size, x=WIDTH / 2, y=600, gray=0.85, first=False, font="Helvetica-Bold"):
    def draw(c, page):
        if first and page > 1:
            return
        c.setFillGray(gray)
        c.translate(x, y)
        c.rotate(angle)
        c.setFont(font, size)
        c.drawCentredString(0, 0, text)

    return draw


def watermarks():
    cases = [(f"tiles-{a}", f"grey tiles at {a} degrees", tiles(a), ["qKvXz", "zVxKq"]) for a in (0, 30, 45, 90)] + [
        ("tiles-small", "small grey tiles at 45 degrees", tiles(45, 5), ["qKvXz", "zVxKq"]),
        ("word-45", "one grey word at 45 degrees", mark("CONFIDENTIAL", 45, 80), ["CONFIDENTIAL"]),
        ("word-90", "one grey word at 90 degrees", mark("CONFIDENTIAL", 90, 80, y=400), ["CONFIDENTIAL"]),
        ("word-0", "grey words at 0 degrees", mark("DRAFT COPY", 0, 60), ["DRAFT", "COPY"]),
        ("word-small", "small grey words in a line of the text", mark("FOR REVIEW ONLY", 0, 12, y=601), ["REVIEW ONLY"]),
        ("margin", "a line in the margin at 90 degrees",
         mark("Downloaded from journal.example by guest on 25 February 2030", 90, 7, x=590, y=300, gray=0.3, font="Helvetica"), ["Downloaded from", "by guest on"]),
        ("foot", "a line at the foot", mark("Authorized licensed use limited to: Port Ellery University. Restrictions apply.", 0, 7, y=28, gray=0, font="Times-Roman"),
         ["Authorized licensed", "Restrictions apply"])]
    for i, (name, varies, draw, absent) in enumerate(cases):
        for order in ("under", "over") if name in ("tiles-45", "word-0") else ("under",):
            s = article(4, **{order: draw})
            s.absent(*absent)
            yield f"watermark-{name}" + ("-over" if order == "over" else ""), varies + f", {order} the text", s


# Stamps


def top(text, size, first=True, font="Helvetica-Bold"):
    def draw(c, page):
        if page == 1 or not first:
            c.setFillColorRGB(0.8, 0, 0)
            c.setFont(font, size)
            c.drawCentredString(WIDTH / 2, 758, text)

    return draw


def stamps():
    for name, text, size, first in [
        ("retracted", "RETRACTED ARTICLE", 20, True), ("retracted-all", "RETRACTED ARTICLE", 20, False), ("draft", "DRAFT", 30, True),
        ("withdrawn", "WITHDRAWN", 24, True), ("preprint", "Preprint - not peer reviewed", 20, True), ("accepted", "ACCEPTED MANUSCRIPT", 22, False),
        ("research", "Research Article", 20, True), ("access", "OPEN ACCESS", 20, True), ("journal", "Journal of Tides", 24, True)]:
        s = article(2, under=top(text, size, first))
        if name.startswith(("retracted", "withdrawn")):
            s.fields.append({"kind": "warning", "text": text.split()[0].lower()})
        yield f"stamp-{name}", f"the stamp {text!r} above the title", s
    s = article(2, under=mark("RETRACTED", 45, 90, y=396, first=True))
    s.absent("RETRACTED")
    s.fields.append({"kind": "warning", "text": "retracted"})
    yield "stamp-diagonal", "RETRACTED across the first page", s


# Layers


def layers():
    for name, varies in (("off", "a layer that is switched off"), ("base", "layers that are off unless listed"), ("form", "a form in a layer that is off")):
        s = article(1)
        s.fields += [{"kind": "words", "text": "SHOWNWORD has the answer"}, {"kind": "number", "text": "11.5", "before": "answer of", "after": "metres"}]
        s.absent("HIDDENWORD", "99.9")
        yield f"layer-{name}", varies, s, name


def add_layers(data, name):
    pdf = pikepdf.open(io.BytesIO(data))
    page = pdf.pages[0]
    off, on = (pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name=n)) for n in ("Notes", "Shown"))
    config = pikepdf.Dictionary(Order=pikepdf.Array([off, on]))
    if name == "base":
        config.BaseState, config.ON = pikepdf.Name.OFF, pikepdf.Array([on])
    else:
        config.OFF = pikepdf.Array([off])
    pdf.Root.OCProperties = pikepdf.Dictionary(OCGs=pikepdf.Array([off, on]), D=config)
    font = next(iter(page.Resources.Font))
    hidden = f"BT {font} 10 Tf 72 80 Td (HIDDENWORD has the answer of 99.9 percent) Tj ET"
    shown = f"/OC /Shown BDC BT {font} 10 Tf 72 60 Td (SHOWNWORD has the answer of 11.5 metres there.) Tj ET EMC"
    page.Resources.Properties = pikepdf.Dictionary(Notes=off, Shown=on)
    if name == "form":
        form = pdf.make_stream(hidden.encode(), Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, WIDTH, HEIGHT],
                               OC=off, Resources=pikepdf.Dictionary(Font=page.Resources.Font))
        page.Resources.XObject = pikepdf.Dictionary(Fm1=form)
        hidden = "/Fm1 Do"
    else:
        hidden = f"/OC /Notes BDC {hidden} EMC"
    page.contents_add(f"{hidden}\n{shown}\n".encode())
    out = io.BytesIO()
    pdf.save(out, deterministic_id=True)
    return out.getvalue()


# Heads, feet, tables at page ends


def text_at(x, y, text, font="Times-Roman", size=8, align="left"):
    def draw(c):
        c.setFont(font, size)
        {"left": c.drawString, "right": c.drawRightString, "centre": c.drawCentredString}[align](x, y, text)

    return draw


def numbered(form, count, y=40, align="centre", x=WIDTH / 2):
    """Page numbers, and the lines of the text that they must not become."""

    def draw(c, page):
        text_at(x, y, form(page), align=align, size=10)(c)

    return draw, [form(p) for p in range(1, count + 1)]


def roman(n):
    return ["", "i", "ii", "iii", "iv", "v", "vi"][n]


def heads():
    def journal(c, page):
        if page == 1:
            return
        text_at(72, 755, f"{116 + page}" if page % 2 == 0 else "Tides of Seven Harbours")(c)
        text_at(540, 755, "O. BRANDT AND R. LINDT" if page % 2 == 0 else f"{116 + page}", align="right")(c)

    s = article(6, over=journal)
    s.absent("O. BRANDT AND R. LINDT", "118", "120")
    yield "heads-journal", "running heads with page numbers that differ left and right", s

    def plain(c, page):
        text_at(72, 740, "Journal of Tides, Vol. 12 (2019)")(c)
        c.line(72, 735, 540, 735)

    s = article(4, over=plain)
    s.absent("Vol. 12")
    yield "heads-rule", "the same running head over a rule on each page", s
    for name, form, pages, y, align, x in [
        ("arabic", str, 4, 40, "centre", WIDTH / 2), ("arabic-top", str, 4, 760, "right", 540), ("roman", roman, 4, 40, "centre", WIDTH / 2),
        ("short", str, 1, 40, "centre", WIDTH / 2), ("two", lambda p: str(41 + p), 2, 60, "centre", WIDTH / 2),
        ("dashes", lambda p: f"– {p} –", 4, 40, "centre", WIDTH / 2), ("of", lambda p: f"Page {p} of 4", 4, 40, "centre", WIDTH / 2)]:
        draw, printed = numbered(form, pages, y, align, x)
        s = article(pages, over=draw)
        s.absent(*printed, where="line")
        yield f"pages-{name}", f"page numbers such as {printed[-1]!r}", s


def ends():
    """Text from the first to the last line of the page, with numbers in both."""
    s = Sheet(top=778, leading=12)
    s.title()
    for i, text in enumerate(sentences(150)):
        s.paragraph(text)
        s.y += 7
        if s.y < 22:
            s.new_page()
    yield "ends-lines", "text up to the edges of the pages", s
    s = Sheet(top=770)
    s.title()
    for i in range(4):
        if i:
            s.new_page()
        s.paragraph(f"<<{6011 + 101 * i}>>")
        for text in paragraphs(6, 6, 36 * i):
            s.paragraph(text)
        s.y = 45
        s.paragraph(f"<<{7013 + 103 * i}>>")
    yield "ends-numbers", "numbers alone in the first and the last line of the pages", s


def captions():
    """Labels of tables on lines of their own at the tops of pages, rows at their ends."""
    at = (72, 230, 350, 470)
    s = Sheet(top=750)
    for n in range(1, 5):
        if n > 1:
            s.new_page()
        s.c.setFont("Times-Bold", 8)
        s.c.drawString(s.left, s.y, f"Table {n}")
        s.y -= 11
        name = ["Comparison of harbours.", "Sizes of the basins.", "Results of the year.", "Costs of the boats."][n - 1]
        s.c.setFont("Times-Roman", 8)
        s.c.drawString(s.left, s.y, name)
        s.y -= 14
        s.fields += [{"kind": "label", "text": f"Table {n}", "where": "caption"}, {"kind": "words", "text": name, "where": "caption"}]
        s.rule()
        s.row(("Harbour", "Score", "Cost", "Year"), at)
        s.rule()
        for r in range(5):
            s.row((SITES[n * 5 + r], f"{n * 7 + r}.5", f"{n * 1000 + r * 10 + 3}", f"{1950 + n * 10 + r}"), at, key=0)
        s.rule()
        s.y -= 20
        if n == 1:
            s.title("Captions at the Tops of Pages")
        for text in paragraphs(4, 6, n * 24):
            s.paragraph(text)
    yield "tops-captions", "labels of tables on their own lines at the tops of pages", s
    s = Sheet(top=750)
    s.title("A Table That Fills Its Pages")
    s.paragraph(" ".join(sentences(3)))
    s.fields += [{"kind": "label", "text": "Table 1", "where": "caption"}]
    s.c.setFont("Times-Roman", 9)
    s.c.drawString(s.left, s.y, "Table 1: Boats and their crews.")
    s.y -= 14
    s.rule()
    s.row(("Boat", "Score", "Cost", "Year"), at)
    s.rule()
    for r in range(150):
        if s.y < 50:
            s.new_page()
        s.row((f"Boat-{chr(65 + r // 26)}{chr(65 + r % 26)}", f"{r}.25", f"{5003 + r * 7}", f"{1850 + r}"), at)
        s.fields += [{"kind": "number", "text": n} for n in (f"{r}.25", f"{5003 + r * 7}", f"{1850 + r}")]
    s.rule()
    yield "tops-rows", "rows of a table at the ends of pages", s
    s = Sheet(top=750)
    s.title("Examples at the Tops of Pages")
    for n in range(1, 5):
        if n > 1:
            s.new_page()
        s.c.setFont("Times-Bold", 10)
        s.c.drawString(s.left, s.y, f"Example {n}")
        s.y -= 16
        s.fields.append({"kind": "words", "text": f"Example {n}"})
        for text in paragraphs(6, 6, n * 36):
            s.paragraph(text)
    yield "tops-examples", "counted words at the tops of pages", s


def line_numbers():
    for name, varies, x, step, first in [("left", "line numbers on the left", 50, 1, 1), ("right", "line numbers on the right", 560, 1, 1),
                                         ("fifth", "a number at every fifth line", 50, 5, 5), ("restart", "line numbers that begin again on each page", 50, 1, 0)]:
        count = [0]

        def beside(s):
            count[0] += 1
            if (count[0]) % step == 0:
                s.c.setFont("Helvetica", 7)
                s.c.drawRightString(x, s.y, str(count[0]))

        s = Sheet(leading=18)
        s.title()
        for p in range(4):
            if p:
                s.new_page()
                count[0] = 0 if first == 0 else count[0]
            s.heading(f"{p + 1} " + ["Introduction", "Record", "Results", "Conclusion"][p])
            for text in paragraphs(5, 6, 30 * p):
                s.paragraph(text, beside)
        yield f"lines-{name}", varies, s


def spaced():
    """A heading and a line whose letters are set apart, each letter drawn by itself or with character spacing."""
    s = Sheet()
    s.title()
    for i, (spacing, text) in enumerate([(3, "SPACED WORDS ARE READ"), (2, "Levels of 48151 metres"), (1.5, "wide letters of a line")]):
        o = s.c.beginText(s.left, s.y)
        o.setFont("Times-Roman", 11)
        o.setCharSpace(spacing)
        o.textOut(text)
        o.setCharSpace(0)
        s.c.drawText(o)
        s.y -= 20
        s.fields.append({"kind": "words", "text": text})
        s.paragraph(" ".join(sentences(3, 3 * i)))
    x = s.left
    for ch in "Each letter of 27182 alone":
        s.c.drawString(x, s.y, ch)
        x += pdfmetrics.stringWidth(ch, "Times-Roman", s.size)
    s.fields.append({"kind": "words", "text": "Each letter of 27182 alone"})
    s.y -= 20
    yield "spaced-letters", "letters set apart, and letters drawn one by one", s


def papers():
    """Yields (name, function that writes the file, sheet, what it varies)."""
    for make in (watermarks, stamps, heads, ends, captions, line_numbers, spaced, layers):
        for name, varies, sheet, *layer in make():
            data = sheet.done()
            if layer:
                data = add_layers(data, layer[0])

            def write(path, data=data):
                with open(path, "wb") as f:
                    f.write(data)

            yield name, write, sheet, varies
