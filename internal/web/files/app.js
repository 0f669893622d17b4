import { all, one, say } from "./dom.js";
import { follow } from "./live.js";
import { chunks } from "./list.js";
import { filters } from "./filter.js";
import { copying } from "./copy.js";
import { anchors } from "./notes.js";
import { keyboard } from "./keys.js";

function theme() {
  const button = one("#theme");
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const show = () => { button.textContent = dark() ? "Light" : "Dark"; };
  show();
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("airqa-theme", root.dataset.theme); } catch { /* for this page only */ }
    show();
  });
}

// unfold opens the folds around the target of the address.
function unfold() {
  let target = null;
  try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { /* no name */ }
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.nodeName === "DETAILS") at.open = true;
  target.scrollIntoView();
}

function folds() {
  for (const button of all("[data-fold]")) {
      button.addEventListener("click", () => {
      const open = button.dataset.fold === "open";
      for (const d of all("main details.text")) d.open = open;
      say(open ? "All texts are open." : "All folds are closed.");
    });
  }
}

theme();
follow();
chunks();
filters();
copying();
anchors();
keyboard();
folds();
unfold();
addEventListener("hashchange", unfold);
document.addEventListener("updated", () => { chunks(); });
