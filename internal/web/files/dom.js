// Small helpers that several modules share.

export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

export const one = (selector, root = document) => root.querySelector(selector);

// say announces a text to the user and to screen readers.
export function say(text) {
  const box = one("#message");
  if (!box) return;
  box.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { box.textContent = ""; }, 4000);
}

// typing reports whether a key belongs to a field in which the user writes or chooses.
export function typing(target) {
  return target instanceof Element && !!target.closest("input:not([type=checkbox],[type=radio],[type=submit],[type=button]), textarea, select, [contenteditable]");
}

// load reads another page of this server as a document.
export async function load(address) {
  const reply = await fetch(address, { headers: { Accept: "text/html" }, credentials: "same-origin" });
  const text = await reply.text();
  if (!reply.ok) throw new Error(text.length < 300 ? text : reply.statusText);
  return new DOMParser().parseFromString(text, "text/html");
}

// send posts fields with the token of the page.
export function send(address, fields) {
  const body = new URLSearchParams(fields);
  return fetch(address, {
    method: "POST", body, credentials: "same-origin",
    headers: { "X-CSRF-Token": one("meta[name=csrf]").content, Accept: "application/json" },
  });
}
