// Shared by all pages. The chosen colours are remembered, and passed to the embed.
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

const list = document.querySelector(".events");
for (const name of [
  ...["loading", "ready", "error", "token-refreshed", "session-expired", "ended"],
  ...[
    "navigate",
    "before-upload",
    "upload-progress",
    "upload-complete",
    "upload-failed",
    "download-complete",
    "change",
  ],
]) {
  if (list) document.addEventListener(`platform-embed-${name}`, ({ detail }) => listEvent(name, detail));
}

export function listEvent(name, detail) {
  addToList(new Date(), name, JSON.stringify(detail));
}

/** Adds a line at the top of the page's list. */
export function addToList(at, name, text) {
  const item = document.createElement("li");
  const time = document.createElement("time");
  time.textContent = at.toLocaleTimeString();
  const what = document.createElement("b");
  what.textContent = name;
  const how = document.createElement("code");
  how.textContent = text;
  item.append(time, what, how);
  list.prepend(item);
}

/** Calls Northwind's server. Resolves to `{ result }`, or to `{ error }` with a message for a person. */
export async function ask(method, path, body) {
  try {
    const response = await fetch(path, { method, ...(body && { body: JSON.stringify(body) }) });
    const result = await response.json();
    if (response.ok) return { result };
    const { issues, results } = result;
    // When an e-mail was not sent, its recipient's result says why.
    const why =
      issues?.map((issue) => `The ${issue.path} ${issue.message}.`).join(" ") ?? results?.[0]?.error;
    return { error: why ?? result.error };
  } catch {
    return { error: "Northwind's server cannot be reached. Try again." };
  }
}

/** Shows the error, if there is one, or else the text. */
export function say(text, error) {
  const outcome = document.querySelector("#outcome");
  outcome.textContent = error ?? text;
  outcome.classList.toggle("error", error !== undefined);
}
