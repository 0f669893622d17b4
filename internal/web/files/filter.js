// A change of the filter updates the page at once and replaces the address: the way back does not lead through each
// change.
import { one } from "./dom.js";
import { refresh } from "./live.js";

export function filters() {
  const form = one("#filter");
  if (!form) return;
  let timer;
  const apply = () => {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value) query.append(name, value);
    const text = query.toString();
    history.replaceState(history.state, "", location.pathname + (text ? "?" + text : ""));
    refresh();
  };
  form.addEventListener("change", (e) => { if (e.target.type !== "search") apply(); });
  form.addEventListener("input", (e) => {
    if (e.target.type !== "search") return;
    clearTimeout(timer);
    timer = setTimeout(apply, 400);
  });
  form.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(timer); apply(); });
  // One menu is open at a time, and a click elsewhere closes it.
  document.addEventListener("click", (e) => {
    for (const menu of form.querySelectorAll("details[open]")) if (!menu.contains(e.target)) menu.open = false;
  });
}
