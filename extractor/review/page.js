"use strict";
(() => {
  const source = document.getElementById("data");
  const rows = JSON.parse(source.textContent);
  const cards = [...document.querySelectorAll("article")];
  const reviewer = document.getElementById("reviewer");
  const show = document.getElementById("show");
  const store = "airqa review " + rows.map((r) => r.entry.row).join("");
  const field = (card, name) => card.querySelector(`[data-of="${name}"]`);

  // Changes survive a closed tab where the browser stores them.
  const load = () => {
    try { return JSON.parse(localStorage.getItem(store)) || {}; } catch { return {}; }
  };
  const keep = () => {
    const kept = { reviewer: reviewer.value, cards: cards.map(values) };
    try { localStorage.setItem(store, JSON.stringify(kept)); } catch { /* not kept */ }
  };

  function values(card) {
    const chosen = card.querySelector("input[type=radio]:checked");
    const v = { decision: chosen ? chosen.value : "", time: card.dataset.time || "" };
    for (const input of card.querySelectorAll("[data-of]")) v[input.dataset.of] = input.value;
    return v;
  }

  function fill(card, v) {
    const radio = card.querySelector(`input[value="${CSS.escape(v.decision || "none")}"]`);
    if (radio) radio.checked = true;
    card.dataset.time = v.time || "";
    for (const input of card.querySelectorAll("[data-of]")) {
      if (typeof v[input.dataset.of] === "string") input.value = v[input.dataset.of];
    }
  }

  function parsed(card) {
    try {
      const found = JSON.parse(field(card, "arguments").value);
      return found && typeof found === "object" && !Array.isArray(found) ? found : null;
    } catch { return null; }
  }

  function update() {
    let open = 0;
    for (const card of cards) {
      const verdict = values(card).decision;
      const faulty = verdict === "fix" && !parsed(card);
      card.className = verdict ? "done " + verdict : "";
      card.querySelector(".edit").classList.toggle("open", verdict === "fix");
      card.querySelector(".edit .problem").hidden = !faulty;
      field(card, "arguments").classList.toggle("bad", faulty);
      card.hidden = show.value !== "all" && show.value !== (verdict || "open");
      if (!verdict) open++;
    }
    document.getElementById("count").textContent = `${cards.length - open} of ${cards.length} decided`;
  }

  // line is the decision about a row. The evaluator stays text, because 3.0 must not become 3.
  function line(row, card) {
    const v = values(card);
    const out = { ...row.entry, decision: v.decision, reviewer: reviewer.value.trim(), note: v.note.trim() };
    let evaluator = row.evaluator;
    delete out.evaluator;
    if (v.time) out.time = v.time;
    if (v.decision === "fix") {
      Object.assign(out, { question: v.question.trim(), answer: v.answer.trim(), answer_format: v.answer_format.trim() });
      const kwargs = v.arguments.replace(/\s*\n\s*/g, " ").trim(); // a JSON string has no line break
      evaluator = `{"eval_func":${JSON.stringify(v.function.trim())},"eval_kwargs":${kwargs}}`;
    }
    return JSON.stringify(out).slice(0, -1) + `,"evaluator":${evaluator}}`;
  }

  function download() {
    const faulty = cards.find((card) => values(card).decision === "fix" && !parsed(card));
    if (faulty) { faulty.hidden = false; faulty.scrollIntoView(); return; }
    const text = rows.map((row, i) => line(row, cards[i]) + "\n").join("");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
    link.download = source.dataset.file;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  const kept = load();
  reviewer.value = kept.reviewer || "";
  (kept.cards || []).forEach((v, i) => cards[i] && fill(cards[i], v));
  document.addEventListener("input", (event) => {
    const card = event.target.closest("article");
    if (card && event.target.type === "radio") card.dataset.time = new Date().toISOString();
    update();
    keep();
  });
  document.getElementById("save").addEventListener("click", download);
  update();
})();
