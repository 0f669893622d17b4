// The page of a dialogue: drafts, rationales, sending. The server decides what is allowed; this script repeats a message
// until it has an answer, and the server stores equal messages once.
import { all, one, say, send } from "./dom.js";
import { follow, refresh } from "./live.js";

const maxFacts = 2;
let draft = "", due = 0, said = 0;

const boxes = () => all("#paper input[name=fact]");
const key = () => "airqa-draft-" + draft;

function save() {
  const text = one("#text");
  if (!text) return;
  const facts = boxes().filter((b) => b.checked).map((b) => b.value);
  try { localStorage.setItem(key(), JSON.stringify({ text: text.value, facts })); } catch { /* the page alone keeps it */ }
}

function forget(of) {
  try { localStorage.removeItem("airqa-draft-" + of); } catch { /* nothing was kept */ }
}

// restore fills the form of a new message with its draft, if there is one.
function restore() {
  const form = one("#write");
  if (!form) { draft = ""; for (const b of boxes()) b.checked = false; return; }
  if (form.dataset.draft === draft) return;
  draft = form.dataset.draft;
  let kept = null;
  try { kept = JSON.parse(localStorage.getItem(key())); } catch { /* no draft */ }
  one("#text").value = kept?.text ?? "";
  for (const b of boxes()) b.checked = (kept?.facts ?? []).includes(b.value);
}

// chosen lists the rationales below the message, each with a button that removes it.
function chosen() {
  const list = one("#chosen");
  if (!list) return;
  list.replaceChildren(...boxes().filter((b) => b.checked).map((b) => {
    const item = document.createElement("li"), button = document.createElement("button"), text = document.createElement("span");
    text.textContent = b.parentElement.textContent.trim();
    button.type = "button";
    button.textContent = "Remove";
    button.addEventListener("click", () => { b.checked = false; save(); chosen(); });
    item.append(button, text);
    return item;
  }));
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// post sends a form until the server answers.
async function post(address, body) {
  for (;;) {
    try {
      return await send(address, body);
    } catch {
      say("Not connected. This is sent as soon as the server answers.");
      await pause(1500);
    }
  }
}

async function submit(form, bare) {
  const button = one("button.main", form), of = form.dataset.draft;
  const body = new FormData(form);
  if (bare) body.set("bare", "1");
  button.disabled = true;
  const reply = await post("/send", body);
  button.disabled = false;
  if (reply.status === 428) { one("#bare").returnValue = ""; one("#bare").showModal(); return; }
  if (reply.ok) forget(of); else say("Not sent: " + await reply.text());
  await refresh();
}

async function label(form) {
  const reply = await post("/labels", new FormData(form));
  say(reply.ok ? "The intents are stored." : "Not stored: " + await reply.text());
}

function clock() {
  const left = one("#left");
  if (!left) return;
  const s = Math.max(0, Math.round((due - Date.now()) / 1000));
  left.textContent = Math.floor(s / 60) + ":" + String(s % 60).padStart(2, "0");
}

function updated() {
  due = Date.now() + Number(one("#times")?.dataset.left ?? 0);
  restore();
  chosen();
  clock();
  const count = all("article.said").length;
  if (count > said) one("#talk").lastElementChild.scrollIntoView({ block: "nearest" });
  said = count;
}

document.addEventListener("input", (e) => { if (e.target.id === "text") save(); });
document.addEventListener("change", (e) => {
  if (e.target.name !== "fact") return;
  if (boxes().filter((b) => b.checked).length > maxFacts) {
    e.target.checked = false;
    say("The maximum is two rationales. Remove one first.");
  }
  save();
  chosen();
});
document.addEventListener("submit", (e) => {
  const form = e.target;
  if (form.id !== "write" && !form.classList.contains("labels")) return;
  e.preventDefault();
  if (form.id === "write") submit(form, false); else label(form);
});
one("#bare").addEventListener("close", () => { if (one("#bare").returnValue === "send" && one("#write")) submit(one("#write"), true); });
document.addEventListener("updated", updated);
updated();
setInterval(clock, 500);
follow();
