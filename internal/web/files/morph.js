// morph makes an element equal to another one, and keeps what the user did to it: focus, selection, scroll, open folds,
// and the contents of fields.

export function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || old.id !== fresh.id) {
    old.replaceWith(document.adoptNode(fresh));
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old.hasAttribute("data-keep")) return;
  attributes(old, fresh);
  children(old, fresh);
}

function attributes(old, fresh) {
  const own = old.nodeName === "DETAILS" ? ["open"] : old.nodeName === "INPUT" ? ["checked", "value"] : [];
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !own.includes(name)) old.removeAttribute(name);
  }
  for (const { name, value } of [...fresh.attributes]) {
    if (own.includes(name)) continue;
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

// children matches children by id, and others in order.
function children(old, fresh) {
  const named = new Map();
  for (const c of old.children) if (c.id) named.set(c.id, c);
  let at = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    const same = next.id ? named.get(next.id) : undefined;
    if (same) {
      while (at && at !== same && !(at.id && fresh.querySelector("#" + CSS.escape(at.id)))) at = remove(at);
      if (at === same) at = at.nextSibling; else old.insertBefore(same, at);
      morph(same, next);
    } else if (at && !at.id && !next.id && at.nodeName === next.nodeName) {
      const after = at.nextSibling;
      morph(at, next);
      at = after;
    } else {
      old.insertBefore(document.adoptNode(next), at);
    }
  }
  while (at) at = remove(at);
}

function remove(node) {
  const after = node.nextSibling;
  node.remove();
  return after;
}
