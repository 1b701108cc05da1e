/** Renders one e-mail in every way, in turn, and writes a `BenchmarkResult`. `../email.ts` bundles this file and runs it in its own Node process. */
import { pathToFileURL } from "node:url";
import { createMarkdownPool } from "../../../app/email/markdown-pool.server";
import { type BenchmarkResult, median, medianRow } from "../result";
import { type Content, content } from "./content";
import { fromMarkdown, fromPieces, fromVariables, markdownOf } from "./ours";

const ROUNDS = 9;
/** Time for which each case is rendered in each round, milliseconds. */
const ROUND_MS = 300;

interface Parts {
  html: string;
  text?: string;
}
type Peer<Given = Content> = (given: Given) => Promise<Parts>;
interface Peers {
  elements: Peer;
  components: Peer;
  markdown: Peer<Content & { markdown: string }>;
  mjml: Peer;
}

const peers = (await import(pathToFileURL(process.argv[2] ?? "").href)) as Peers;
const pool = createMarkdownPool();
const fromText = fromMarkdown(content, pool);
const fromJob = fromVariables(content, pool);
const withMarkdown = { ...content, markdown: markdownOf(content) };

interface Case {
  name: string;
  /** the case of ours that it is compared with */
  with?: string;
  render: () => Promise<Parts> | Parts;
}
const MARKDOWN = "ours: Markdown to HTML and text";
const PIECES = "ours: HTML of ready parts";
const VARIABLES = "ours: a campaign's text with variables";
const cases: Case[] = [
  { name: MARKDOWN, render: fromText },
  {
    name: "React Email: Markdown to HTML and text",
    with: MARKDOWN,
    render: () => peers.markdown(withMarkdown),
  },
  { name: VARIABLES, render: fromJob },
  {
    name: "React Email: the same, for each recipient",
    with: VARIABLES,
    render: () => peers.markdown(withMarkdown),
  },
  { name: PIECES, render: () => ({ html: fromPieces(content) }) },
  { name: "React Email's components: HTML", with: PIECES, render: () => peers.components(content) },
  { name: "@react-email/render, bare elements: HTML", with: PIECES, render: () => peers.elements(content) },
  { name: "mjml: HTML", with: PIECES, render: () => peers.mjml(content) },
];

const inThousandths = (milliseconds: number) => `${milliseconds.toFixed(3)} ms`;

/** the times of each round, milliseconds */
const times = new Map(cases.map(({ name }) => [name, [] as number[][]]));
for (const one of cases) {
  check(one.name, await one.render());
  await measure(one);
}
for (let round = 0; round < ROUNDS; round++) {
  for (const one of cases) times.get(one.name)?.push(await measure(one));
}
const medianTime = (name: string) => median(times.get(name)?.flat() ?? []);
const mediansOf = (name: string) => (times.get(name) ?? []).map(median);
const elements = medianTime("@react-email/render, bare elements: HTML");
const result: BenchmarkResult = {
  title: `Rendering one e-mail, ${ROUNDS} rounds of ${ROUND_MS} ms each; the spread is that of the rounds' medians`,
  rows: cases.map(({ name, with: own }) => ({
    ...medianRow(name, mediansOf(name), inThousandths),
    value: inThousandths(medianTime(name)),
    compared: own && `${(medianTime(name) / medianTime(own)).toFixed(1)} times “${own}”`,
  })),
  raw: Object.fromEntries(cases.map(({ name }) => [`${name}, median of each round, ms`, mediansOf(name)])),
  notes: [
    `Bare elements, without Markdown and text, take ${(elements / medianTime(MARKDOWN)).toFixed(1)} times as long as ours with both.`,
  ],
};
console.log(JSON.stringify(result));

await pool.close();

function check(name: string, { html, text }: Parts): void {
  const { title, closing, siteName } = content;
  for (const expected of [
    title,
    closing,
    siteName,
    "Invite your team",
    "Documents",
    "files.northwind.example",
  ]) {
    if (!html.includes(expected)) throw new Error(`The HTML of ${name} lacks “${expected}”.`);
    if (text !== undefined && !text.toLowerCase().includes(expected.toLowerCase()))
      throw new Error(`The text of ${name} lacks “${expected}”.`);
  }
}

/** Returns the time of each rendering, milliseconds. */
async function measure({ render }: Case): Promise<number[]> {
  const found: number[] = [];
  const end = performance.now() + ROUND_MS;
  while (performance.now() < end) {
    const started = performance.now();
    const { html } = await render();
    // V8 flattens a concatenated string when it is first read; reading it here counts that time.
    html.charCodeAt(html.length - 1);
    found.push(performance.now() - started);
  }
  return found;
}
