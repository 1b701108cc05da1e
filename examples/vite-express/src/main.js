import "platform-embed-element";
import "platform-embed-element/style.css";
import "./style.css";

const find = (id) => document.querySelector(`#${id}`);

async function show() {
  const user = await (await fetch("/api/me")).json();
  find("sign-in").hidden = user !== null;
  find("portal").hidden = user === null;
  find("files").replaceChildren();
  if (user === null) return;

  find("name").textContent = user.name;
  const embed = document.createElement("platform-embed");
  embed.service = "files";
  embed.tokenEndpoint = "/embed-url";
  // The session has ended on the server, for example in another tab.
  embed.addEventListener("platform-embed-session-expired", show);
  find("files").append(embed);
}

find("sign-in").addEventListener("click", async ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  await fetch("/api/sign-in", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ userId: button.value }),
  });
  await show();
});

find("sign-out").addEventListener("click", async () => {
  // Removes the frame with its token at once, and requests no other.
  document.querySelector("platform-embed").end();
  await fetch("/api/sign-out", { method: "POST" });
  await show();
});

show();
