/**
 * Time to render one simple e-mail, against `@react-email/render` and `mjml` rendering the same content. Ours reads Markdown and
 * writes a plain-text part too; theirs only write HTML. Aims: 5 times as fast as the better of them; a median of at most 0.15 ms.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderSimpleEmail, simpleEmailSchema } from "../../app/email/simple-email.server";

const ROUNDS = 9;
/** milliseconds that one case is rendered for in each round */
const ROUND_MS = 300;
const peersFolder = fileURLToPath(new URL("email", import.meta.url));

const content = {
  title: "Welcome to Northwind, Ada",
  siteName: "Northwind Traders",
  logoUrl: "https://northwind.example/logo.png",
  greeting: "Hi Ada,",
  steps: ["Open the customer portal", "Upload your documents", "Invite your team"].map((label, index) => ({
    label,
    url: `https://northwind.example/step/${index + 1}`,
  })),
  notes: ["Files stay in Canada", "Support answers within a day 🙂", "Nothing is deleted without asking"],
  closing: "See you soon, the Northwind team",
  files: ["Getting started.pdf", "Terms 2026.pdf"].map((name) => ({
    name,
    url: `https://files.northwind.example/${encodeURIComponent(name)}`,
  })),
};

const email = simpleEmailSchema.parse({
  to: "ada@example.com",
  title: content.title,
  description: [
    `${content.greeting}\nYour account is **ready**.`,
    content.steps.map(({ label, url }, index) => `${index + 1}. [${label}](${url})`).join("\n"),
    content.notes.map((note) => `- ${note}`).join("\n"),
    content.closing,
  ].join("\n\n"),
  siteName: content.siteName,
  logoUrl: content.logoUrl,
  pdf: content.files.map(({ url }) => url),
});

type Peers = Record<"reactEmail" | "mjml", (given: typeof content) => Promise<string>>;

export async function run(): Promise<void> {
  const peers = await loadPeers();
  const cases: Record<string, () => Promise<string> | string> = {
    "ours: Markdown, HTML and text": () => renderSimpleEmail(email).html,
    "@react-email/render: HTML": () => peers.reactEmail(content),
    "mjml: HTML": () => peers.mjml(content),
  };
  const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  for (const [name, render] of Object.entries(cases)) {
    const html = await render();
    for (const said of [content.title, content.closing, content.siteName, "Invite your team"]) {
      if (!html.includes(said)) throw new Error(`${name} leaves out “${said}”.`);
    }
    await measure(render);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, render] of Object.entries(cases)) times.get(name)?.push(...(await measure(render)));
  }
  const medians = [...times].map(([name, all]) => ({ name, median: medianOf(all) }));
  for (const { name, median } of medians) console.log(`${name.padEnd(32)} ${median.toFixed(3)} ms (median)`);
  const [ours = 0, ...theirs] = medians.map(({ median }) => median);
  console.log(`ours is ${(Math.min(...theirs) / ours).toFixed(1)} times as fast as the better of them`);
}

/** Milliseconds of each rendering. */
async function measure(render: () => Promise<string> | string): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + ROUND_MS;
  while (performance.now() < end) {
    const started = performance.now();
    await render();
    times.push(performance.now() - started);
  }
  return times;
}

function medianOf(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function loadPeers(): Promise<Peers> {
  // React is several times slower in development.
  process.env.NODE_ENV = "production";
  if (!existsSync(`${peersFolder}/node_modules`)) {
    console.log("Installing the peers …");
    const options = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"];
    const { status } = spawnSync("npm", options, { cwd: peersFolder, stdio: "inherit" });
    if (status !== 0) throw new Error("The peers could not be installed.");
  }
  return import(new URL("email/peers.mjs", import.meta.url).href) as Promise<Peers>;
}
