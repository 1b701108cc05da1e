/** `npx platform-embed-element doctor URL`: says what would stop the embed on an integrator's page. Needs Node 20, and nothing else. */
import { parseArgs } from "node:util";
import { examine, type Question } from "./examine";
import { startReport } from "./report";

const HELP = `Usage: platform-embed-element doctor <url of the page that embeds> [options]

Opens the page and its token endpoint, asks for the frame as a browser would, and says line by line what is
right (✓), what would stop the embed (✗) and what should be looked at (!), with what to change.

  --header "Name: value"  sent only to the page's own origin, for pages that need a session:
                          --header "Cookie: …"; may be repeated
  --endpoint <url>        the token endpoint, where the page's HTML does not name it
  --service <key>         the service, where the page's HTML does not name it (files)
  --timeout <seconds>     for each check (10)
  --json                  print a JSON array of { check, status: ok, warning or error, message, remedy? }
  --help                  this text

Exit code 0 when nothing would stop the embed, 1 when something would, 2 when the arguments are invalid. It prints no
token and no value of a header. It runs no scripts: a page whose tag is made by a script needs --endpoint.`;

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
  const { stdout, env } = process;
  const report = startReport({ json: values.json ?? false, stdout, env, print: console.log });
  report.add(await examine(question));
  return report.end();
}

function readQuestion(
  [command, page = "", ...more]: string[],
  values: { header?: string[]; endpoint?: string; service?: string; timeout?: string },
): Question {
  if (command !== "doctor") throw new Error(`There is no command ${command}.`);
  if (more.length > 0 || !/^https?:\/\//.test(page) || !URL.canParse(page))
    throw new Error("Name one page, like https://app.example.com/files.");
  const seconds = Number(values.timeout ?? 10);
  if (!(seconds > 0 && seconds <= 300))
    throw new Error("--timeout must be a number of seconds, at most 300.");
  const headers: Record<string, string> = {};
  for (const line of values.header ?? []) {
    const [, name, value] = /^([\w-]+):\s*(\S.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new Error('--header must be like "Cookie: session=1".');
    headers[name] = value;
  }
  const { endpoint, service } = values;
  return { page: new URL(page), endpoint, service, headers, timeoutMs: seconds * 1000 };
}

let printError: Error | undefined;
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever reads a pipe may close it early, as `head` does.
  if (error.code !== "EPIPE") printError ??= error;
});
process.stderr.on("error", () => {});
process.on("exit", () => {
  if (printError === undefined) return;
  console.error(`The result could not be printed: ${printError.message}`);
  process.exitCode = 1;
});

process.exitCode = await main().catch((error: Error) => {
  console.error(`${error.message}\nRun with --help for usage.`);
  return 2;
});
