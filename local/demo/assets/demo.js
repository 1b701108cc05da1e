// Colours: the choice is kept, and the embed is told of it.
const choices = document.querySelectorAll('input[name="theme"]');

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  for (const embed of document.querySelectorAll("platform-embed")) embed.setAttribute("theme", theme);
  for (const choice of choices) choice.checked = choice.value === theme;
}

applyTheme(localStorage.getItem("theme") ?? "auto");
for (const choice of choices) {
  choice.addEventListener("change", () => {
    localStorage.setItem("theme", choice.value);
    applyTheme(choice.value);
  });
}

// The list of events on the renewal page.
const list = document.querySelector("#events");
const names = [
  "loading",
  "ready",
  "error",
  "token-refreshed",
  "session-expired",
  "navigate",
  "upload-complete",
  "upload-failed",
];
for (const name of list ? names : []) {
  document.addEventListener(`platform-embed-${name}`, (event) => {
    const item = document.createElement("li");
    const time = document.createElement("time");
    time.textContent = new Date().toLocaleTimeString();
    const what = document.createElement("b");
    what.textContent = name;
    item.append(time, what, event.detail?.code ?? event.detail?.message ?? "");
    list.prepend(item);
  });
}
