// Runs before the page is drawn, so that it does not flash in the other colours.
(() => {
  const root = document.documentElement;
  try {
    const chosen = localStorage.getItem("airqa-theme");
    if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  } catch { /* the browser keeps nothing: the system's choice stays */ }
  root.classList.add("script");
})();
