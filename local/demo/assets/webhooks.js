// Prints the messages that Northwind's server has verified.
import { addToList, ask, say } from "/demo.js";

const empty = document.querySelector("#no-messages");
const isDown = document.querySelector("#is-down");
const POLL_MS = 1000;
let last = 0;

isDown.addEventListener("change", async () => {
  const { error } = await ask("POST", "/my-webhook/down", isDown.checked);
  say(error ? "" : isDown.checked ? "Messages are refused, and kept by the platform." : "", error);
});

async function look() {
  const { result, error } = await ask("POST", "/my-webhook/messages", last);
  if (error) return say("", error);
  for (const { number, receivedAt, event } of result.messages) {
    last = number;
    addToList(new Date(receivedAt), event.type, JSON.stringify(event, null, 1));
  }
  empty.hidden = last > 0;
}

const { result, error } = await ask("POST", "/my-webhook");
if (error) {
  say("", error);
} else {
  isDown.checked = result.isDown;
  await look();
  setInterval(look, POLL_MS);
}
