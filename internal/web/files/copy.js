// Buttons that copy a text of the page, or what an address returns.
import { one, say } from "./dom.js";

export function copying() {
  document.addEventListener("click", async (e) => {
    const button = e.target instanceof Element && e.target.closest("[data-copy]");
    if (!button) return;
    e.preventDefault();
    try {
      const from = button.dataset.copy;
      let text;
      if (from.startsWith("/")) {
        const reply = await fetch(from, { credentials: "same-origin" });
        if (!reply.ok) throw new Error(reply.statusText);
        text = await reply.text();
      } else {
        text = one(from).textContent;
      }
      await write(text);
      say("Copied.");
    } catch (err) {
      say("Not copied: " + err.message);
    }
  });
}

async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("the browser does not allow it here");
}
