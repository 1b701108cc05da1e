/** `npx platform-embed-element doctor URL`: what would stop the embed on an integrator's page. Needs Node 20, and nothing else. */
import { parseArgs, styleText } from "node:util";
import { examine, type Question } from "./examine";
import type { Finding } from "./finding";

const HELP = `Usage: platform-embed-element doctor <url of the page that embeds> [options]

Opens the page and its token endpoint, asks for the frame as a browser would, and says line by line what is
right (✓), what would stop the embed (✗) and what should be looked at (!), with what to change.

  --header "Name: value"  sent to the page's own origin only, as a session needs it: --header "Cookie: …"; may be repeated
  --endpoint <url>        the token endpoint, where the page's HTML does not name it
  --service <key>         the service, where the page's HTML does not name it (files)
  --timeout <seconds>     for each request (10)
  --json                  print a JSON array of { check, status: ok, warning or error, message, remedy? }
  --help                  this text

Exit code 0 when nothing would stop the embed, 1 when something would, 2 when the command is not understood. It prints
no token and none of the headers' values. It runs no script: a page whose tag is made by one needs --endpoint.`;

const options = {
  header: { type: "string", multiple: true },
  endpoint: { type: "string" },
  service: { type: "string" },
  timeout: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help || positionals.length === 0) {
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  const question = readQuestion(positionals, values);
  const { findings, secrets } = await examine(question);
  const known = secrets.filter(({ length }) => length > 5).sort((one, other) => other.length - one.length);
  const hide = (text: string) => known.reduce((left, secret) => left.replaceAll(secret, "…"), text);
  const shown = findings.map(({ message, remedy, ...finding }) => ({
    ...finding,
    message: hide(message),
    ...(remedy === undefined ? {} : { remedy: hide(remedy) }),
  }));
  console.log(values.json ? JSON.stringify(shown, null, 2) : report(shown));
  return shown.some(({ status }) => status === "error") ? 1 : 0;
}

function readQuestion(
  [command, page = "", ...more]: string[],
  values: { header?: string[]; endpoint?: string; service?: string; timeout?: string },
): Question {
  if (command !== "doctor") throw new Error(`There is no command ${command}.`);
  if (more.length > 0 || !/^https?:\/\//.test(page) || !URL.canParse(page))
    throw new Error("Name one page, like https://app.example.com/files.");
  const seconds = Number(values.timeout ?? 10);
  if (!(seconds > 0 && seconds <= 300)) throw new Error("--timeout is a number of seconds, 300 at most.");
  const headers: Record<string, string> = {};
  for (const line of values.header ?? []) {
    const [, name, value] = /^([\w-]+):\s*(\S.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error('--header is like "Cookie: session=1".');
    headers[name] = value;
  }
  const { endpoint, service } = values;
  return { page: new URL(page), endpoint, service, headers, timeoutMs: seconds * 1000 };
}

const marks = { ok: "✓", warning: "!", error: "✗" } as const;
const colors = { ok: "green", warning: "yellow", error: "red" } as const;

function report(findings: readonly Finding[]): string {
  // https://no-color.org
  const hasColor = process.stdout.isTTY === true && !process.env.NO_COLOR;
  const lines = findings.map(({ status, message, remedy }) => {
    const mark = hasColor ? styleText(colors[status], marks[status]) : marks[status];
    return `${mark} ${message}${remedy === undefined ? "" : `\n    → ${remedy}`}`;
  });
  const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
  return `${lines.join("\n")}\n\n${count("ok")} right, ${count("error")} wrong, ${count("warning")} to be looked at.`;
}

process.exitCode = await main().catch((error: Error) => {
  console.error(`${error.message}\nRun with --help for usage.`);
  return 2;
});
