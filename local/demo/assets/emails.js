const form = document.querySelector("#email");
const outcome = document.querySelector("#outcome");
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

async function preview() {
  const { isOk, result } = await post("/email-previews", {});
  if (!isOk) return say(result.error, true);
  say("");
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
  const { isOk, result } = await post("/send-email", { name });
  const issues = result.issues?.map(({ path, message }) => `${path}: ${message}.`).join(" ");
  const sent =
    name === "campaign"
      ? "It is on the queue, and will be in the mailbox at once."
      : "Sent. It is in the mailbox.";
  say(isOk ? sent : (issues ?? result.error), !isOk);
  button.disabled = false;
}

async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      body: JSON.stringify({ ...body, form: Object.fromEntries(new FormData(form)) }),
    });
    return { isOk: response.ok, result: await response.json() };
  } catch {
    return { isOk: false, result: { error: "Northwind's server cannot be reached. Try again." } };
  }
}

function say(text, isFault = false) {
  outcome.textContent = text;
  outcome.classList.toggle("fault", isFault);
}

await preview();
