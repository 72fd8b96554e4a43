/* What pages do better with a script; every one of them works without it. */
"use strict";
(() => {
  const search = () => document.getElementById("search");

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !field && !event.ctrlKey && !event.metaKey && !event.altKey && search()) {
      event.preventDefault();
      search().focus();
      search().select();
    } else if (event.key === "Escape" && field === search()) {
      search().blur();
    }
  });

  /* A menu closes when something else is wanted. */
  const menus = () => document.querySelectorAll("details.menu[open]");
  document.addEventListener("click", (event) => {
    for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("focusin", (event) => {
    for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of menus()) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  /* Parts marked data-live are fetched again while something runs; a page without a script is reloaded by its meta tag. */
  const pause = () => (document.querySelector("[data-live='on']") ? 2000 : 10000);
  const refresh = async () => {
    const parts = [...document.querySelectorAll("[data-live='on'], [data-live='slow']")];
    if (!parts.length) return;
    if (!document.hidden) {
      try {
        const answer = await fetch(location.href, { headers: { accept: "text/html" } });
        if (answer.redirected) return; // to the login: whoever looks has to log in again
        if (!answer.ok) throw new Error(answer.statusText);
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const part of parts) {
          const next = fresh.getElementById(part.id);
          if (next && !part.contains(document.activeElement)) part.replaceWith(document.adoptNode(next));
        }
      } catch {
        /* the server restarts, or the network went away: the next turn tries again */
      }
    }
    setTimeout(refresh, pause());
  };
  setTimeout(refresh, pause());

  /* An answer to a form stands in the history as the page of the form: whoever reloads it, or comes back to it, is shown
     that page and not asked whether to send the form once more. */
  const belongs = document.documentElement.dataset.belongs;
  if (belongs) history.replaceState(history.state, "", belongs);

  /* Back from an error is back to the form as it was filled in, which only the browser still knows. */
  document.querySelector("a[data-back]")?.addEventListener("click", (event) => {
    if (history.length < 2) return;
    event.preventDefault();
    history.back();
  });

  /* A form that is sent twice by a double click is sent once. */
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
    setTimeout(() => delete form.dataset.sent, 3000);
  });

  /* Where filters stand above the list, they wait folded. */
  if (window.innerWidth <= 900) for (const fold of document.querySelectorAll("details.fold")) fold.open = false;

  /* Filters apply when they change; without a script there is a button. */
  for (const form of document.querySelectorAll("form[data-auto]")) {
    form.addEventListener("change", () => form.requestSubmit());
    for (const button of form.querySelectorAll("[data-manual]")) button.hidden = true;
  }
})();
