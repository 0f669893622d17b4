// Long lists are in chunks: those near the window are read from the server, those far away are empty bodies of the same
// height. All rows have one height, see style.css.
import { all, load } from "./dom.js";

const far = 6;

export function chunks() {
  const bodies = all("tbody[data-chunk]");
  if (!bodies.length) return;
  const watch = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (isIntersecting) fill(target);
    }
  }, { rootMargin: "1500px 0px" });
  for (const body of bodies) watch.observe(body);
}

async function fill(body) {
  if (body.dataset.full || body.dataset.loading) return;
  body.dataset.loading = "1";
  try {
    const fresh = await load(body.dataset.chunk);
    const rows = fresh.querySelector("tbody.rows");
    if (rows) body.replaceChildren(...rows.children);
    body.dataset.full = "1";
  } catch { /* the next look tries again */ }
  delete body.dataset.loading;
  sweep();
}

// sweep empties chunks that are far from the window.
function sweep() {
  const height = innerHeight;
  for (const body of all("tbody[data-full]")) {
    const box = body.getBoundingClientRect();
    if (box.bottom > -far * height && box.top < (far + 1) * height) continue;
    const row = document.createElement("tr");
    row.append(document.createElement("td"));
    row.firstChild.className = "space";
    row.firstChild.style.height = box.height + "px";
    row.firstChild.colSpan = 99;
    body.replaceChildren(row);
    delete body.dataset.full;
  }
}
