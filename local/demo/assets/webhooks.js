// Prints the messages that Northwind's server has verified.
import { ask, say } from "/demo.js";

const list = document.querySelector("#messages");
const empty = document.querySelector("#no-messages");
const isDown = document.querySelector("#is-down");
const POLL_MS = 1000;
let last = 0;

isDown.addEventListener("change", async () => {
  const { error } = await ask("POST", "/my-webhook/down", isDown.checked);
  say(error ? "" : isDown.checked ? "Messages are refused, and kept by the platform." : "", error);
});

function toItem({ receivedAt, event }) {
  const item = document.createElement("li");
  const time = document.createElement("time");
  time.textContent = new Date(receivedAt).toLocaleTimeString();
  const what = document.createElement("b");
  what.textContent = event.type;
  const how = document.createElement("code");
  how.textContent = JSON.stringify(event, null, 1);
  item.append(time, what, how);
  return item;
}

async function look() {
  const { result, error } = await ask("POST", "/my-webhook/messages", last);
  if (error) return say("", error);
  for (const message of result.messages) {
    last = message.number;
    list.prepend(toItem(message));
  }
  empty.hidden = list.children.length > 0;
}

const { result, error } = await ask("POST", "/my-webhook");
if (error) {
  say("", error);
} else {
  isDown.checked = result.isDown;
  await look();
  setInterval(look, POLL_MS);
}
