const embed = document.querySelector("platform-embed");
const switches = document.querySelector("#switches");
const list = document.querySelector("#event-details");
const chosen = (name) => switches.elements[name].value;

let forcedLifetime = "";

// A function in the place of a token endpoint, so that the switches can decide what becomes of it.
embed.fetchToken = async ({ service, scope, reason, signal }) => {
  say("(fetchToken)", { reason });
  if (chosen("answer") === "never") await new Promise(() => {});
  if (chosen("answer")) throw Object.assign(new Error("as switched"), { status: Number(chosen("answer")) });
  const expires = forcedLifetime || chosen("expires");
  forcedLifetime = "";
  const response = await fetch(`/embed-url${expires && `?expires=${expires}`}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service, scope, reason }),
    signal,
  });
  if (!response.ok) throw response;
  return response.json();
};

switches.elements.locale.addEventListener("change", () => {
  embed.locale = chosen("locale") || null;
});
switches.elements.height.addEventListener("change", () => {
  embed.height = chosen("height");
});

const actions = {
  // A token of one second is expired when it arrives, and the frame has to ask for another.
  expire() {
    forcedLifetime = "1";
    return embed.refreshToken();
  },
  refresh: () => embed.refreshToken(),
  reload: () => embed.reload(),
};
for (const button of switches.querySelectorAll("button")) {
  button.addEventListener("click", () =>
    Promise.resolve(actions[button.value]()).catch((error) => say("(refused)", { code: error.code })),
  );
}

for (const name of [
  ...["loading", "ready", "error", "token-refreshed", "session-expired"],
  ...["navigate", "upload-complete", "upload-failed"],
]) {
  embed.addEventListener(`platform-embed-${name}`, ({ detail }) => say(name, detail));
}

function say(name, detail) {
  const item = document.createElement("li");
  const time = document.createElement("time");
  time.textContent = new Date().toLocaleTimeString();
  const what = document.createElement("b");
  what.textContent = name;
  const how = document.createElement("code");
  how.textContent = JSON.stringify(detail);
  item.append(time, what, how);
  list.prepend(item);
}
