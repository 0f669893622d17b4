// The keys of the page. The table comes from the server. Real focus is the only selection. Keys do nothing in fields, with
// modifiers, and when they are switched off.
import { all, one, say, typing } from "./dom.js";

const store = "airqa-keys";

function off() {
  try { return localStorage.getItem(store) === "off"; } catch { return false; }
}

export function keyboard() {
  const table = JSON.parse(one("#keys").textContent);
  const help = one("#help");
  one("#keys-button").addEventListener("click", () => help.showModal());
  const box = one("#keys-off");
  box.checked = off();
  box.addEventListener("change", () => {
    try { localStorage.setItem(store, box.checked ? "off" : "on"); } catch { /* for this page only */ }
  });
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || e.isComposing || e.defaultPrevented || typing(e.target) || help.open) return;
    const action = table[e.key];
    if (!action || !actions[action]) return;
    if (box.checked && e.key.length === 1) return;
    if (e.key === "Enter" && e.target instanceof Element && e.target.closest("a, button, summary, input, [role=button]")) return;
    if (actions[action](e) !== false) e.preventDefault();
  });
}

const click = (selector) => {
  const target = one(selector);
  if (!target) return false;
  target.click();
  return true;
};

// move gives focus to the next or an end of some elements.
function move(list, by) {
  if (!list.length) return false;
  const at = list.findIndex((x) => x === document.activeElement || x.contains(document.activeElement));
  const next = by === "first" ? 0 : by === "last" ? list.length - 1 : at < 0 ? nearest(list, by) : Math.min(Math.max(at + by, 0), list.length - 1);
  focus(list[next]);
  return true;
}

// nearest is the first element at or after the top of the window.
function nearest(list, by) {
  const at = list.findIndex((x) => x.getBoundingClientRect().top > 60);
  return at < 0 ? list.length - 1 : by < 0 ? Math.max(at - 1, 0) : at;
}

function focus(element) {
  if (element.tabIndex < 0 && !element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: element.matches("a") ? "nearest" : "start" });
}

const rows = () => all("table.list tbody a");
const steps = () => all("article.step");
const marked = () => steps().filter((s) => s.querySelector("header .tag"));
const onList = () => rows().length > 0;

const actions = {
  down: () => onList() ? move(rows(), 1) : (scrollBy(0, 80), true),
  up: () => onList() ? move(rows(), -1) : (scrollBy(0, -80), true),
  page_up: () => { scrollBy(0, -innerHeight * 0.9); },
  first: () => move(onList() ? rows() : steps(), "first"),
  last: () => move(onList() ? rows() : steps(), "last"),
  next_step: () => move(steps(), 1),
  previous_step: () => move(steps(), -1),
  next_mark: () => move(marked(), 1) || say("This episode has no marks."),
  previous_mark: () => move(marked(), -1) || say("This episode has no marks."),
  next_episode: () => click("#skip") || click("#next") || say("This is the last episode of the list."),
  previous_episode: () => click("#prev") || say("This is the first episode of the list."),
  filter: () => { const first = one("#filter summary"); if (!first) return false; focus(first); },
  sort: () => {
    const heads = all("table.list th");
    const at = heads.findIndex((h) => h.hasAttribute("aria-sort"));
    const links = heads.slice(at + 1).concat(heads).map((h) => h.querySelector("a")).filter(Boolean);
    return links.length ? (links[0].click(), true) : false;
  },
  search: () => { const field = one("input[type=search]"); if (field) { field.focus(); field.select(); } else location.href = "/search"; },
  diff: () => click("#compare") || say("There is no other episode of this question."),
  copy: () => click("[data-copy^='/markdown']"),
  comment: () => { const field = one("#note-text"); if (!field) return false; atStep(); field.focus(); },
  triage: () => { location.href = "/triage"; },
  set_cause: (e) => click(`.choices [data-key="${CSS.escape(e.key)}"]`),
  accept: () => click(".choices .guess"),
  undo: () => click("#undo"),
  back: () => { const back = one(".pages a"); if (back) back.click(); else if (location.pathname !== "/") location.href = "/"; else return false; },
  help: () => { one("#help").showModal(); },
};

// atStep sets the step of a comment to the one with focus.
function atStep() {
  const step = document.activeElement && document.activeElement.closest("article.step");
  const field = one("#note-form select");
  if (step && field) field.value = step.id.replace("step-", "");
}
