// The playground's look: sets the element's property, and shows the code to copy.
const embed = document.querySelector("platform-embed");
const form = document.querySelector("#look");
const fields = form.elements;
const presetButtons = document.querySelector(".presets");

const presets = {
  "The platform's": {},
  "Green portal": { accent: "#0f766e", radius: 10 },
  Warm: { accent: "#b45309", background: "#fdf6ec", text: "#3b2f25", radius: 4, font: "Georgia, serif" },
  "Dark violet": { accent: "#a78bfa", background: "#1e1b4b", text: "#ede9fe", radius: 14 },
  Yellow: { accent: "#facc15", background: "#ffffff", text: "#111111", radius: 0 },
  Rose: { accent: "#e11d48", background: "#fff1f2", radius: 18, density: "compact" },
  Terminal: {
    accent: "#4ade80",
    background: "#0a0f0a",
    text: "#bbf7d0",
    radius: 0,
    font: "ui-monospace, monospace",
    density: "compact",
  },
};
const colors = ["accent", "background", "text"];

/** The values in the form, without those that are the platform's defaults. */
function chosen() {
  const appearance = {};
  for (const name of colors) if (fields[`has-${name}`].checked) appearance[name] = fields[name].value;
  if (fields.radius.value !== "8") appearance.radius = Number(fields.radius.value);
  if (fields.font.value) appearance.font = fields.font.value;
  if (fields.density.value) appearance.density = fields.density.value;
  return appearance;
}

function apply() {
  const appearance = chosen();
  embed.appearance = appearance;
  form.querySelector("output").textContent = `${fields.radius.value}px`;
  const lines = Object.entries(appearance).map(
    ([name, value]) => `  --platform-embed-${name}: ${name === "radius" ? `${value}px` : value};`,
  );
  document.querySelector("#code-css").textContent = ["platform-embed {", ...lines, "}"].join("\n");
  document.querySelector("#code-js").textContent =
    `embed.appearance = ${JSON.stringify(appearance, null, 2)};`;
  for (const button of presetButtons.children) {
    const isThis = JSON.stringify(presets[button.value]) === JSON.stringify(appearance);
    button.setAttribute("aria-pressed", String(isThis));
  }
}

function fill(appearance) {
  for (const name of colors) {
    fields[`has-${name}`].checked = name in appearance;
    if (name in appearance) fields[name].value = appearance[name];
  }
  fields.radius.value = appearance.radius ?? 8;
  fields.font.value = appearance.font ?? "";
  fields.density.value = appearance.density ?? "";
}

for (const [name, appearance] of Object.entries(presets)) {
  const button = document.createElement("button");
  button.type = "button";
  button.value = name;
  const swatch = document.createElement("i");
  swatch.style.background = appearance.background ?? "#ffffff";
  swatch.style.borderColor = appearance.accent ?? "#3157e0";
  button.append(swatch, name);
  button.addEventListener("click", () => {
    fill(appearance);
    apply();
  });
  presetButtons.append(button);
}

form.addEventListener("input", ({ target }) => {
  if (colors.includes(target.name)) fields[`has-${target.name}`].checked = true;
  apply();
});
for (const button of document.querySelectorAll("[data-copies]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2_000);
  });
}
apply();
