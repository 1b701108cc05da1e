import { ask, say } from "/demo.js";

const form = document.querySelector("#email");
const mailbox = form.querySelector("a").href;
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

/** The content of the form, as the page's server takes it. */
const typed = () => Object.fromEntries(new FormData(form));

async function preview() {
  const { result, error } = await ask("POST", "/email-previews", { form: typed() });
  say("", error);
  if (error) return;
  previews = result.previews;
  show();
}

/** A frame uses the system's colours unless this page has chosen other ones. */
function show() {
  const asked = "(prefers-color-scheme: dark)";
  const media = { light: "not all", dark: "all" }[document.documentElement.dataset.theme] ?? asked;
  for (const [name, html] of Object.entries(previews)) {
    document.querySelector(`[data-preview="${name}"]`).srcdoc = html.replace(asked, media);
  }
}

/** Shows the result in the e-mail's own card, because the form may be off the screen. */
async function send(button) {
  if (!form.reportValidity()) return;
  const name = button.dataset.send;
  const place = document.querySelector(`[data-sent="${name}"]`);
  const tell = (content, failed) => {
    place.replaceChildren(...content);
    place.classList.toggle("error", failed);
  };
  button.disabled = true;
  tell(["Sending…"], false);
  const { result, error } = await ask("POST", "/send-email", { name, form: typed() });
  tell(error ? [`Not sent. ${error}`] : accepted(name, result), error !== undefined);
  // A disabled button has lost the focus.
  button.disabled = false;
  button.focus({ preventScroll: true });
}

/** A campaign goes through the queue, which returns no ids of e-mails. */
function accepted(name, { results }) {
  const link = Object.assign(document.createElement("a"), {
    href: mailbox,
    target: "_blank",
    rel: "noreferrer",
    textContent: "Open the mailbox",
  });
  if (name === "campaign") return ["The queue has taken it. ", link];
  const id = document.createElement("code");
  id.textContent = results[0].messageId;
  return ["Accepted, as ", id, ". ", link];
}

await preview();
