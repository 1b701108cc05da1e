import { listEvent } from "/demo.js";

const embed = document.querySelector("platform-embed");
const switches = document.querySelector("#switches");
const chosen = (name) => switches.elements[name].value;

let forcedLifetime = "";

// A function instead of a token endpoint, so that the switches can control it.
embed.fetchToken = async ({ service, scope, reason, signal }) => {
  listEvent("(fetchToken)", { reason });
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
  // A token that lasts one second has expired when it arrives, so the frame asks for another one.
  expire() {
    forcedLifetime = "1";
    return embed.refreshToken();
  },
  refresh: () => embed.refreshToken(),
  reload: () => embed.reload(),
};
for (const button of switches.querySelectorAll("button")) {
  button.addEventListener("click", () =>
    Promise.resolve(actions[button.value]()).catch((error) => listEvent("(refused)", { code: error.code })),
  );
}
