/* The review by keyboard. Without a script the buttons do the same. */
"use strict";
(() => {
  const groups = [...document.querySelectorAll("[data-group]")];
  const help = document.getElementById("keys");
  const started = groups.findIndex((one) => "at" in one.dataset);
  let at = Math.max(0, started);

  const show = (scroll) => {
    groups.forEach((one, i) => one.toggleAttribute("data-current", i === at));
    const group = groups[at];
    if (!group) return;
    group.focus({ preventScroll: true });
    if (scroll) group.scrollIntoView({ block: at === 0 && group.offsetHeight < innerHeight ? "center" : "start" });
  };
  const move = (step) => {
    at = Math.min(groups.length - 1, Math.max(0, at + step));
    show(true);
  };
  const press = (key) => {
    const button = groups[at]?.querySelector(`[data-key="${key}"]`);
    if (!button) return;
    const reason = groups[at].querySelector("[data-reason]");
    if ("needsReason" in button.dataset && !reason.value.trim()) {
      reason.focus();
      reason.required = true;
    } else {
      if (reason) reason.required = "needsReason" in button.dataset;
      button.click();
    }
  };
  /* What the reason of a form is for. */
  const decide = (field) => {
    const form = field.closest("form");
    (form.querySelector("[data-key='r']") ?? form.querySelector("[data-key='a']")).click();
  };
  const undo = () => document.querySelector("#undo button")?.click();
  const keys = {
    j: () => move(1),
    k: () => move(-1),
    a: () => press("a"),
    r: () => press("r"),
    u: undo,
    o: () => press("o"),
    x: () => groups[at]?.querySelector("input[type=checkbox]")?.focus(),
    "?": () => help.showModal(),
  };

  /* Columns that could not be classified: the tick of a line is that of all its columns. */
  const lines = () => groups[at]?.querySelectorAll("[data-line]") ?? [];
  const within = (box) => [...box.closest("td").querySelectorAll("[name=tag]")];
  document.addEventListener("change", (event) => {
    const box = event.target;
    const line = box.closest("td")?.querySelector("[data-line]:not([name])");
    if (line) {
      const all = within(box);
      if (box === line) all.forEach((one) => { one.checked = line.checked; });
      line.checked = all.every((one) => one.checked);
      line.indeterminate = !line.checked && all.some((one) => one.checked);
    }
    count(box.closest("[data-table]"));
  });
  const count = (table) => {
    const boxes = [...(table?.querySelectorAll("[name=tag]") ?? [])];
    const ticked = boxes.filter((one) => one.checked).length;
    const told = table?.querySelector("[data-count]");
    if (told) told.parentElement.firstChild.data = `Save: mask ${ticked}`;
    if (told) told.textContent = `, show ${boxes.length - ticked}`;
    told?.parentElement.toggleAttribute("data-needs-reason", ticked < boxes.length);
    const reason = table?.querySelector("[data-reason]");
    if (reason) reason.required = ticked < boxes.length;
  };
  document.querySelectorAll("[data-table]").forEach(count);
  document.querySelectorAll(".pick[hidden]").forEach((one) => { one.hidden = false; });
  for (let n = 1; n <= 9; n++) keys[n] = () => lines()[n - 1]?.click();

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const field = event.target.closest("input:not([type=checkbox]), textarea, select");
    if (field && "reason" in field.dataset) {
      if (event.key === "Enter") {
        event.preventDefault();
        decide(field);
      } else if (event.key === "Escape") {
        field.required = Boolean(field.closest("[data-table]")) && field.required;
        field.blur();
        show(false);
      }
      return;
    }
    if (field || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const [i, group] of groups.entries()) group.addEventListener("focusin", () => { at = i; groups.forEach((one, n) => one.toggleAttribute("data-current", n === i)); });
  show(started >= 0);
})();
