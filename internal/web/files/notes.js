// A comment is anchored to the text that was selected last, if that is a part of one text of the episode.
import { one } from "./dom.js";

export function anchors() {
  document.addEventListener("selectionchange", () => {
    const form = one("#note-form");
    const chosen = getSelection();
    if (!form || !chosen || chosen.isCollapsed) return;
    const element = chosen.anchorNode && (chosen.anchorNode.nodeType === Node.ELEMENT_NODE ? chosen.anchorNode : chosen.anchorNode.parentElement);
    const field = element && element.closest("pre[data-field]");
    const text = chosen.toString();
    if (!field || !field.contains(chosen.focusNode) || text.length > 2000) return;
    form.elements.field.value = field.dataset.field;
    form.elements.quote.value = text;
    one("#note-quote").textContent = text.length > 80 ? text.slice(0, 80) + "…" : text;
  });
}
