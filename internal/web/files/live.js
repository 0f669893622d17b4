// Follows the runs: when the server announces a new version, the page is read again and its parts are updated in place.
import { load, one, say } from "./dom.js";
import { morph } from "./morph.js";

let busy = false, again = false;

// refresh reads an address, this one by default, and updates the page. Calls during another are joined.
export async function refresh(address = location.href) {
  if (busy) { again = true; return; }
  busy = true;
  try {
    const fresh = await load(address);
    document.title = fresh.title;
    for (const id of ["crumbs", "main"]) {
      const part = fresh.getElementById(id);
      if (part) morph(document.getElementById(id), part);
    }
    document.body.dataset.version = fresh.body.dataset.version;
    document.dispatchEvent(new CustomEvent("updated"));
  } catch (err) {
    say("This page could not be updated: " + err.message);
  } finally {
    busy = false;
  }
  if (again) { again = false; await refresh(); }
}

// A browser allows few connections to one server, so only visible pages follow.
export function follow() {
  const state = one("#live");
  if (!state) return;
  const show = (text, kind) => { state.textContent = text; state.dataset.state = kind; };
  let feed = null, lost = false;
  const open = () => {
    feed = new EventSource("/events");
    // A server that was started again counts its versions from 1, so the number does not show what the page has missed.
    feed.addEventListener("open", () => { show("live", "on"); if (lost) refresh(); lost = false; });
    feed.addEventListener("error", () => {
      show("not connected", "off");
      lost = true;
      if (feed.readyState === EventSource.CLOSED) setTimeout(() => { if (!document.hidden) { close(); open(); } }, 2000);
    });
    feed.addEventListener("version", (e) => { if (e.data !== document.body.dataset.version) refresh(); });
  };
  const close = () => { if (feed) feed.close(); feed = null; };
  document.addEventListener("visibilitychange", () => {
    close();
    if (!document.hidden) open();
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (e) => { if (e.persisted) { close(); open(); } });
  if (!document.hidden) open();
}
