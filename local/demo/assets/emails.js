import { ask, say } from "/demo.js";

const form = document.querySelector("#email");
let previews = {};
let waiting;

form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(preview, 250);
});
form.addEventListener("submit", (event) => event.preventDefault());
for (const choice of document.querySelectorAll('input[name="theme"]'))
  choice.addEventListener("change", show);
for (const button of document.querySelectorAll("[data-send]")) {
  button.addEventListener("click", () => send(button));
}

/** What a person has typed, as the page's server wants it. */
const typed = () => Object.fromEntries(new FormData(form));

async function preview() {
  const { result, error } = await ask("POST", "/email-previews", { form: typed() });
  say("", error);
  if (error) return;
  previews = result.previews;
  show();
}

/** A frame asks the system for its colours; where this page has chosen its own, this page decides. */
function show() {
  const asked = "(prefers-color-scheme: dark)";
  const media = { light: "not all", dark: "all" }[document.documentElement.dataset.theme] ?? asked;
  for (const [name, html] of Object.entries(previews)) {
    document.querySelector(`[data-preview="${name}"]`).srcdoc = html.replace(asked, media);
  }
}

async function send(button) {
  if (!form.reportValidity()) return;
  button.disabled = true;
  say("Sending…");
  const name = button.dataset.send;
  const { error } = await ask("POST", "/send-email", { name, form: typed() });
  const sent =
    name === "campaign"
      ? "It is on the queue, and will be in the mailbox at once."
      : "Sent. It is in the mailbox.";
  say(sent, error);
  button.disabled = false;
}

await preview();
