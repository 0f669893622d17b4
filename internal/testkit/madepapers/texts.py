"""The texts. Each varies one thing; the rest of a paper is the same plain words, without a ligature or a hyphen."""

import furniture

INTRO = ("Tides are slow and the buoy is read every quarter of an hour by a radio link that was built in the spring. "
         "We compare several harbours with each other and report where the record is longest and where it is broken.")
CLOSE = "The gauge is read by hand when the radio link is down, and the log is then copied at the end of the week."
ABSTRACT = "We study the tides of several small harbours. The record was kept by hand and is printed here without any change."
REFS = ["A. Brandt and R. Lindt. Tides made by wishing. Journal of Tides, 2019.",
        "C. Moe. Buoys and their keepers. Harbour Press, 2021."]
ALL = ["ot1", "t1two", "ot1bit", "t1bit", "lua", "typst", "weasy", "rl"]


def paper(name, varies, title, results, on=ALL, **more):
    p = {"name": name, "varies": varies, "title": title, "authors": "Otto Brandt and Rosa Lindt", "abstract": ABSTRACT,
         "sections": [(more.get("heading", "Introduction"), [INTRO]), ("Results", results), ("Conclusion", [CLOSE])], "references": REFS, "on": on}
    return p | more


def pages(name, varies, title, on=("ot1",), after=(), size=3, **more):
    """A paper of several pages, whose sections are read as a whole too."""
    titles = ["Introduction", "Related Work", "Record", "Results", "Conclusion"]
    sections = [(h, furniture.paragraphs(size, 3, 3 * size * i) + list(after)) for i, h in enumerate(titles)]
    return paper(name, varies, title, [], on=list(on), sections=sections, whole=True, reach=6, **more)


TEXTS = [
    paper("exponents", "raised exponents", "Energy of 10^{6} Tides in a Year", [
        "The energy at Norby reached <<10^{20}>> joules in spring. The rate at Velden stayed near <<1.0 · 10^{21}>> events per year. "
        "The cost at Ellery came to <<5 × 10^{4}>> crowns in all. The error at Halden fell to <<10^{−3}>> by the summer. "
        "The count at Sorby was then <<2^{10}>> and the power was <<1.5 × 10^{9}>> watts at noon. "
        "The odds at Tarn are below <<10^{−6}>> again. The slope at Brae is just <<10^{2.5}>> here. "
        "The load at Skerry ran from <<10^{7}>> to about <<10^{8}>> grains. The share at Wick was <<3^{−1}>> of all.",
        ("table", "Events above 10^{5} a day", [["Harbour", "Energy", "Rate", "Odds"],
            ["Norby", "1.2 × 10^{−3}", "10^{12}", "8"], ["Velden", "3 × 10^{5}", "10^{13}", "2 × 10^{−9}"], ["Ellery", "4.5 × 10^{11}", "77", "10^{−6}"]]),
        "The total at Oban went to <<6.02 × 10^{23}>> in the end, and the plain count was <<10 23>> by mistake."],
        references=["A. Brandt. On 10^{15} waves in a bay. Journal of Tides, 2019.", "C. Moe. Buoys and their keepers. Harbour Press, 2021."],
        abstract="We study tides. The largest energy was <<4 × 10^{17}>> joules in a year, which is more than any record that was kept by hand.",
        on=["ot1", "t1two", "ot1bit", "t1bit", "typst", "weasytwo", "rl"], rlfont="DejaVuSerif"),
    paper("indices", "lowered indices", "Lowered Signs in a Record of Tides", [
        "The loss at Norby was <<0.31_{0.02}>> in spring. The score at Velden rose to <<81.2_{0.3}>> after that. The code at Ellery reads <<1011_{2}>> as before. "
        "We heat [[H_{2}O]] and we vent [[CO_{2}]] at Halden. The term at Sorby is [[x_{1}]] and then [[a_{12}]] at last. "
        "The value of the scale [[log_{10}]] at Tarn is <<7>> today. The mean at Brae is just <<10_{3}^{2}|10_3^2|10^2_3>> here. "
        "The rest at Skerry is [[x_{4}^{2}|x_4^2|x4^2|x^2_4]] and no more. The start at Wick was [[E_{a}]] of old.",
        ("table", "Scores with their spread", [["Harbour", "Score", "Loss"], ["Norby", "85.1_{0.3}", "0.5_{11}"], ["Velden", "79.9_{1.2}", "0.7_{12}"]])],
        on=["ot1two", "ot1bit", "typst", "weasy", "rl"]),
    paper("notes", "note marks after numbers and words", "Marks of Notes in a Record", [
        "We used at Norby <<250^[1]>> papers in spring. We kept at Velden <<40^[12]>> books as well. It came to them in <<2020^[3,4]>> and then moved. "
        "The price at Ellery was <<$320^[1]>> in cash. We follow the known [[method^[5]]] and their older [[record^[6–8]]] of Halden. "
        "The last storm came in <<1998.^[7]>> The gauge held. The depth at Sorby was <<3.5^[a]>> metres again. The score at Tarn was <<81.6^[∗]>> with help. "
        "The score at Brae was <<79.9^[†]>> without help. The share at Wick was <<12%^[9]>> of all.",
        ("table", "Counts with notes", [["Harbour", "Count", "Score", "Year"], ["Norby", "250^[9]", "81.2^[∗]", "2019^[a]"], ["Velden", "1,024^[10]", "79.9^[†]", "2021"]]),
        "The two houses are [[Acme^[1,2]]] and the city. A second run gave <<66^[13]>> again."],
        references=["A. Brandt^[1]. Tides made by wishing. Journal of Tides, 2019.", "C. Moe. Buoys and their keepers. Harbour Press, 2021."],
        on=["ot1", "t1two", "ot1bit", "t1bit", "lua", "typst", "weasy", "rltwo"]),
    paper("units", "numbers with units", "Units of Measure in a Record", [
        "The basin at Norby has <<5 m^{2}>> of water. The buoy at Velden weighs <<310 kg>> in all. It falls at Ellery with <<9.81 m s^{−2}>> or less. "
        "The water at Halden had <<25 °C>> in June. The grain at Sorby was <<3.5 µm>> wide. The plant at Tarn made <<40 kW h>> a day. "
        "The wire at Brae has <<100 Ω>> when dry. The share at Wick was <<60%>> of all. The point lies at <<5′ 30″|5′ 30″|5′30″|5' 30\"|5'30\"|5′ 30′′>> from there. "
        "The link at Skerry uses <<2.4 GHz>> by night. The tank at Oban holds <<12 m^{3}>> of oil. The line at Struan is <<10 Å>> thick.",
        ("table", "Units in cells", [["Harbour", "Area", "Mass", "Share"], ["Norby", "5.5 m^{2}", "12 kg", "33%"], ["Velden", "7 km^{2}", "0.4 g", "41%"]])],
        on=["ot1two", "typst", "weasy", "rl"], rlfont="DejaVuSerif"),
    paper("signs", "minus, plus-minus and relations", "Signs Before Numbers in a Record", [
        "The level at Norby was <<−1.5>> in spring. The level at Velden was <<+1.7>> in June. The change at Ellery was <<23.3 ± 6.7>> at noon. "
        "The change at Halden was <<−0.5 ± 0.1>> by night. The odds at Sorby were <<< 0.001>> again. The odds at Tarn were <<p ≤ 0.05>> or less. "
        "The count at Brae was <<≥ 12>> by then. The depth at Wick was <<≈ 3.2>> metres. The loss at Skerry was <<n ≠ 14>> as planned. "
        "The speed at Oban was <<∼40>> knots. The gain at Struan was <<> 5.5>> there. The slope at Yell was <<∓0.2>> or so. The rate at Unst was <<≪ 1>> always.",
        ("table", "Changes", [["Harbour", "Spring", "June", "Odds"], ["Norby", "−1.25", "+1.75", "< 0.1"], ["Velden", "81.2 ± 0.3", "−0.75", "≤ 0.2"],
                              ["Ellery", "1.24^{+0.023}_{−0.019}", "≥ 3.5", "−12"]])],
        cells={"1.24^{+0.023}_{−0.019}": ["1.24^+0.023_-0.019", "1.24_-0.019^+0.023", "1.24 +0.023 -0.019", "1.24 -0.019 +0.023"]},
        on=["ot1", "t1two", "ot1bit", "t1bit", "lua", "typst", "weasy", "rl", "private"], rlfont="DejaVuSans"),
    paper("hyphens", "hyphens and dashes of every kind", "Hyphens in a Well-Kept Record of Tides", [
        "The [[well-known record]] of Norby is long. It shows a [[non‐linear trend|non-linear trend]] and a [[long‑term mean|long-term mean]] that we plot. "
        "We must [[co\u00adoperate|cooperate]] with them. The stock is [[fisheries-independent data]] by law. We use the [[fisheries-\\brindependent|fisheries-independent]] survey of old. "
        "The years <<1998-\\br2004|1998-2004>> were wet. The strain [[COVID-\\br19|COVID-19]] came by ship. The pages <<117–\\br119|117–119>> are lost. "
        "The dash — as here — is long, while this [[Brandt–Lindt law]] has a short one.",
        "Representatives characteristically overestimate internationalization notwithstanding extraordinary "
        "miscommunication, and institutionalized administrators systematically underestimate environmental responsibilities. "
        "Unquestionably representative counterexamples demonstrate disproportionate incompatibilities, and experimentally "
        "reproducible measurements consistently corroborate thermodynamically indistinguishable configurationless interpretations."],
        on=["ot1two", "t1two", "ot1bit", "t1bit", "lua", "typsttwo", "weasytwo", "rltwo"], rlfont="DejaVuSerif", ligatures=True),
    paper("ligatures", "ligatures", "Efficient Offline Fine-Tuning of Affine Flows", [
        "We now describe an [[efficient finite flow]] that is fast. The [[first difficult coefficient]] is then sufficient. The [[affluent official offers]] a raffle. "
        "The [[fluffy waffles]] of a cafe differ. The final profit was <<5.5>> at first. The flag flew over <<47>> offices in all. The [[shelf of five files]] fell.",
        ("table", "Effects of filters", [["Filter", "First", "Final"], ["Offline", "81.5", "61.25"], ["Affine", "82.5", "62.25"], ["Inflow", "83.5", "63.25"]])],
        ligatures=True, abstract="We define an efficient finite flow that classifies affine figures. The coefficient is sufficient, and the difference is significant.",
        on=["ot1", "ot1bit", "t1bit", "typst", "weasy", "rl"], rlfont="DejaVuSerif", glyphs=True),
    paper("accents", "letters with accents and strokes", "Łukasz and Zoë on the Tides of Łódź", [
        "The keepers are [[Łukasz Żak]] and then [[Jiří Dvořák]] of Norby. With them are [[Paul Erdős]] and also [[Åke Şahin]] of Velden. "
        "They wrote to [[Søren Müller]] and to [[François Bézout]] by post. The road is [[Straße]] and the town [[Poznań]] is far. "
        "The ports are [[São Paulo]] and the isle of [[Łódź]] alone. A [[naïve ætiology]] is an old [[œuvre]] of hers. "
        "In Romania the [[țară și biodiversități]] are wide. The street is [[Thụy Khuê]] and there is [[¿Qué?]] on it. He wrote [[“quoted” words]] and [[it’s]] again. "
        "The coin [[złoty]] and the port [[Gdańsk]] and the man [[Ångström]] end it."],
        authors="Łukasz Żak and Zoë Müller",
        references=["Ł. Żak and J. Dvořák. Tides of Łódź. Journal of Tides, 2019.", "C. Moe. Buoys and their keepers. Harbour Press, 2021."],
        on=["ot1", "t1two", "ot1bit", "t1bit", "typst", "weasy", "rl"], rlfont="DejaVuSerif"),
    paper("ranges", "ranges", "Ranges of Numbers in a Record", [
        "The years at Norby are <<1998–2004>> in print. The depth at Velden was <<0.5–1.5>> metres then. The level at Ellery ran <<−5 to −3>> all night. "
        "The pages at Halden are <<117–119>> of it. The load at Sorby was <<10^{6}–10^{8}>> grains. The band at Tarn was <<[2.5, 97.5]>> again. "
        "The share at Brae was <<5–10%>> of all. The watch at Wick lasts <<12:30–14:45>> each day. The odds at Skerry were <<3:1>> or so. "
        "The ratio at Oban was <<16/25>> at last. The dates at Struan are <<2019-11-28>> and later. The set at Yell was <<(0, 1]>> by rule.",
        ("table", "Ranges in cells", [["Harbour", "Years", "Depth", "Pair"], ["Norby", "1967–1971", "0.25–0.75", "3/4"], ["Velden", "1972–1976", "−2–2", "5/6"]])],
        on=["ot1two", "t1bit", "typst", "weasy"]),
    paper("decimals", "decimal and thousands signs", "Points and Commas in Numbers", [
        "The constant at Norby is <<3.14159>> as known. The odds at Velden were <<.05>> or less. The sum at Ellery was <<1,234>> crowns then. "
        "The sum at Halden was <<12,345,678>> grains once. The price at Sorby was <<1,234.56>> in June. The price at Tarn was <<1.234,75>> in Bonn. "
        "The depth at Brae was <<3,5>> metres there. The crowd at Wick had <<12\u2009345|12 345|12345>> heads. The purse at Skerry had <<12’345|12’345|12'345>> coins. "
        "The share at Oban was <<0.5%>> of it. The dose at Struan was <<1·5>> grams. The fee at Yell was <<$1,250.00>> a head. The version at Unst is <<2.10.3>> now.",
        ("table", "Numbers in cells", [["Harbour", "Sum", "Mean", "Odds"], ["Norby", "1,096", "0.742", ".041"], ["Velden", "10,245", "1.096", ".0003"]])],
        on=["ot1", "ot1bit", "t1bit", "typst", "weasy", "rl"], rlfont="DejaVuSerif"),
    paper("symbols", "symbols and relations of formulas", "Symbols of Formulas in a Record", [
        r"The total at Norby is [[\m{\sum_{i=1}^{n} x_i}{∑ x}|∑]] of all. The product at Velden is [[\m{\prod_{j} y_j}{∏ y}|∏]] of all. The area at Ellery is [[\m{\int_0^1 f}{∫ f}|∫]] of all. "
        r"The union at Halden is [[\m{\bigcup_k A_k}{⋃ A}|⋃|∪]] of all. Here at Sorby [[\m{a\neq b}{a ≠ b}|a ≠ b|a ≠b|a≠ b|a≠b]] is true. Here at Tarn [[\m{x\notin X}{x ∉ X}|x ∉ X|x ∉X|x∉X]] is true. "
        r"The map at Brae [[\m{a\mapsto b}{a ↦ b}|a ↦ b|a ↦b|a↦b]] is used. Here at Wick [[\m{x\cong y}{x ≅ y}|x ≅ y|x≅y]] is true. Here at Skerry [[\m{p\not\subset q}{p ⊄ q}|p ⊄ q|p⊄q]] is true. "
        r"Here at Oban [[\m{u\not\leq v}{u ≰ v}|u ≰ v|u≰v]] is true. Here at Yell [[\m{u\not\equiv w}{u ≢ w}|u ≢ w|u≢w]] is true. The root at Unst is [[\m{\alpha\in\Omega}{α ∈ Ω}|α ∈ Ω|α∈ Ω|α∈Ω]] of old."],
        on=["ot1", "ot1bit", "typst", "private"], font="DejaVu Sans"),
    paper("identifiers", "drawn underscores and code", "Names of Fields in a Record", [
        "We set at Norby [[max_seq_length]] to <<512>> in all runs. We call at Velden [[run_glue.py]] with the name [[bert_base]] as given. "
        "The key at Ellery is [[paper_id]] of the table [[image_summary]] in it. The names [[x_1]] and also [[_start]] and then [[end_]] are kept. A [[snake_case_name]] is long."],
        on=["ot1", "ot1bit", "typst", "weasy", "rl"]),
    paper("alone", "numbers alone in a line", "Numbers Alone in a Line", [
        "The years of the storms are these.", ("lines", [f"<<{y}>>" for y in (1967, 1971, 1972, 1980, 1984, 1987, 1991, 1996, 1999, 2003, 2007, 2013)]),
        "The largest sum of all is shown on a line of its own.", ("display", "<<4711>>"), "The items of the protocol are these in turn.",
        ("lines", [f"<<{n}>>" for n in range(41, 53)]), "The next one is shown as well.", ("display", "<<−0.125>>")],
        on=["ot1two", "typst", "weasy"]),
    paper("columns", "columns of rising numbers", "Columns of Numbers That Count Up", [
        ("table", "Harbours by year", [["Year", "Harbour", "Level", "Rank"]] + [[str(1967 + i), n, f"{2.25 + i * .75:.2f}", str(i + 1)] for i, n in enumerate(
            "Norby Velden Ellery Halden Sorby Tarn Brae Wick Skerry Oban Struan Yell Unst Fetlar Foula Papa Noss Mousa".split())])],
        on=["ot1", "typst", "weasy", "rl"], key=1),
    paper("margins", "numbers in the margin", "Numbers in the Margin of a Record", [
        ("margin", "<<8151>>"), "The level at Norby was <<6.25>> in spring and the mark beside this paragraph is the number of the plate. " + CLOSE,
        ("margin", "<<8263>>"), "The level at Velden was <<7.25>> in June and the mark beside this paragraph is the number of another plate. " + CLOSE,
        ("margin", "<<8377>>"), "The level at Ellery was <<9.75>> in autumn and the mark beside this paragraph is the last of the plates. " + CLOSE],
        on=["ot1", "typst", "weasy"]),
    paper("apart", "letters set apart", "Letters Set Apart in a Record", [
        r"The heads were [[\m{!\textls[200]{SPACED WORDS ARE READ}}{SPACED WORDS ARE READ}|SPACED WORDS ARE READ]] in print. The level at Norby was <<6.25>> in spring. "
        r"The code at Velden was <<\m{!\textls[150]{48151}}{48151}|48151>> in June."], on=["t1", "lua"], preamble=r"\usepackage{microtype}", heading=r"\m{!\textls[150]{Introduction to Heads}}{Introduction to Heads}"),
    paper("hebrew", "right-to-left lines", "קריאה של קבצים מדעיים", [], authors="שרה כהן ודוד לוי", lang="he", font="DejaVu Sans", webfont="DejaVu Sans", ligatures=True,
          abstract_title="תקציר", abstract="[[אנו חוקרים את הקריאה של קבצים]] במשך שנים רבות. המודל בעיר הגיע לרמה של <<84.6%>> על פני <<1,200>> שאלות.",
          sections=[("מבוא", ["[[הקריאה של מסמכים היא משימה קשה]] מאוד. בעבודה קודמת היו בו <<12>> שכבות, והוא השיג תוצאה של <<81.2>> נקודות. "
                              "השיטה שלנו מהירה פי <<3.5>> מן השיטה הקודמת. [[המודל BERT נפוץ]] בשדה."]),
                    ("שיטה", ["[[השיטה בנויה משני שלבים]] פשוטים. בשלב הראשון קוראים את הקובץ ובשלב השני עונים על שאלות."])],
          references=[], on=["typst", "weasy"]),
    paper("arabic", "right-to-left lines", "قراءة الملفات العلمية", [], authors="سارة كريم", lang="ar", font="DejaVu Sans", webfont="DejaVu Sans", ligatures=True,
          abstract_title="الملخص", abstract="[[ندرس قراءة الملفات]] منذ سنوات. بلغت الدقة في المدينة <<84.6%|84.6%|84.6>> من أصل <<1,200>> سؤال.",
          sections=[("مقدمة", ["[[قراءة المستندات مهمة صعبة]] جدا. كان في النموذج القديم <<12>> طبقة وحقق نتيجة <<81.2>> نقطة."])],
          references=[], on=["typst", "weasy"]),
    paper("lefttoright", "a right-to-left name in a Latin paper", "Names From Right to Left", [
        "The keeper is [[שרה כהן]] of Norby and the other is [[דוד לוי]] of Velden. The level at Ellery was <<6.25>> in spring."],
        on=["typst", "weasy"], font="DejaVu Sans", webfont="DejaVu Sans"),
    pages("watermarked", "one grey word at 45 degrees", "A Word Behind the Pages", on=["ot1", "typst", "weasy"], fields=[{"kind": "absent", "text": "CONFIDENTIAL"}],
          preamble=r"\usepackage{eso-pic,graphicx,xcolor}\AddToShipoutPictureBG{\AtPageCenter{\makebox(0,0){\rotatebox{45}{"
                   r"\textcolor[gray]{0.85}{\fontsize{60}{60}\selectfont CONFIDENTIAL}}}}}",
          typst='#set page(background: rotate(-45deg, text(60pt, fill: luma(85%))[CONFIDENTIAL]))',
          css="body::before{content:'CONFIDENTIAL';position:fixed;top:10cm;left:1cm;font-size:60pt;color:#ddd;hyphens:none;white-space:nowrap;z-index:-1;transform:rotate(-45deg)}"),
    paper("shortcolumn", "a right column of a few lines", "A Right Column of a Few Lines", [furniture.paragraphs(1, 6)[0]], on=["ot1two"], bare=True, reach=6),
    pages("counted-arabic", "page numbers of LaTeX's article", "Pages Counted in Arabic", size=6, fields=[{"kind": "absent", "text": n, "where": "line"} for n in ("1", "2", "3")]),
    pages("counted-roman", "roman page numbers of LaTeX's article", "Pages Counted in Roman", size=6, begin=r"\pagenumbering{roman}",
          fields=[{"kind": "absent", "text": n, "where": "line"} for n in ("i", "ii", "iii")]),
    pages("linenumbers", "line numbers in the left margin", "Lines Counted in the Margin", on=["ot1", "typst"], typst='#set par.line(numbering: "1")', preamble=r"\usepackage{lineno}", begin=r"\linenumbers"),
    pages("linenumbersboth", "line numbers beside two columns", "Lines Counted in Both Margins", on=["ot1two"],
          preamble=r"\usepackage[switch]{lineno}", begin=r"\linenumbers"),
    pages("runningheads", "running heads of LaTeX's article", "Heads Above the Pages", preamble=r"\pagestyle{headings}", on=["ot1two"]),
    pages("headings", "numbered headings that begin pages", "Headings That Begin Pages", preamble=r"\usepackage[margin=1in]{geometry}", after=[("tex", r"\newpage")]),
]
