"use strict";
// The only script: opens the dashboard by the link's key, shows live updates, and copies text.

function enter() {
  const form = document.getElementById("enter");
  const key = location.hash.slice(1);
  if (!form || !key) return;
  history.replaceState(null, "", location.pathname);
  form.elements.token.value = key;
  form.submit();
}

function csrf() {
  const meta = document.querySelector('meta[name="csrf"]');
  return meta ? meta.content : "";
}

function fillForms(root) {
  for (const field of root.querySelectorAll('input[name="csrf"]')) field.value = csrf();
}

function isBeingEdited(part) {
  const active = document.activeElement;
  const hasText = [...part.querySelectorAll('input:not([type="hidden"]), textarea')].some((field) => field.value);
  return hasText || (part.contains(active) && active !== part);
}

// Replaces a part, unless the person is using it; then the next update tries again.
function replacePart(part, html) {
  if (part.dataset.shown === html || isBeingEdited(part)) return;
  part.dataset.shown = html;
  part.innerHTML = html;
  fillForms(part);
  showCount();
}

// Adds rows at the top, each once, and keeps the newest.
function addRows(body, html) {
  const box = document.createElement("template");
  box.innerHTML = html;
  for (const row of [...box.content.querySelectorAll("tr")].reverse()) {
    if (body.querySelector(`tr[data-key="${CSS.escape(row.dataset.key)}"]`)) continue;
    row.classList.add("new");
    body.prepend(row);
  }
  while (body.rows.length > Number(body.dataset.add)) body.deleteRow(-1);
}

function showCount() {
  const title = document.getElementById("questions-title");
  const count = title ? Number(title.dataset.count) : 0;
  const plain = document.title.replace(/^\(\d+\) /, "");
  document.title = count ? `(${count}) ${plain}` : plain;
}

function follow() {
  const address = document.body.dataset.live;
  if (!address) return;
  const source = new EventSource(address);
  const state = document.getElementById("state");
  let wasLost = false;
  source.onopen = () => {
    if (wasLost) location.reload();
    state.textContent = "live";
  };
  source.onerror = () => {
    wasLost = true;
    state.textContent = "not connected";
  };
  for (const part of document.querySelectorAll("[data-part], [data-add]")) {
    const show = part.dataset.add ? addRows : replacePart;
    source.addEventListener(part.id, (event) => show(part, JSON.parse(event.data)));
  }
}

// A page that is not ready yet says so, and is loaded again.
function reloadSoon() {
  if (document.querySelector("[data-reload]")) setTimeout(() => location.reload(), 500);
}

function copyText(event) {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const selection = getSelection();
  selection.selectAllChildren(source);
  const done = document.execCommand("copy"); // `navigator.clipboard` needs https on some systems
  button.textContent = done ? "Copied" : "Selected; press Ctrl+C";
}

// j and k move through links of the main part, digits open a page, / searches.
function useKeys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const pages = document.querySelectorAll("nav a");
  if (/^[1-9]$/.test(event.key) && pages[event.key - 1]) pages[event.key - 1].click();
  if (event.key === "j" || event.key === "k") moveFocus(event.key === "j" ? 1 : -1);
  if (event.key === "/") {
    const field = document.querySelector('form[role="search"] input');
    if (field) {
      field.focus();
      event.preventDefault();
    }
  }
}

function moveFocus(step) {
  const links = [...document.querySelectorAll("main a, main button")];
  const next = links[links.indexOf(document.activeElement) + step];
  if (next) next.focus();
}

document.addEventListener("click", copyText);
document.addEventListener("keydown", useKeys);
window.addEventListener("hashchange", enter);
enter();
showCount();
reloadSoon();
follow();
