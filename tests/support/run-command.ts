/** Runs what operators run: in this process, which takes no time, or in one of its own, as npm would. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { type CommandDefinition, runCommand } from "../../app/commands/run-command";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Environment = Record<string, string | undefined>;

/** A command reads the checkout's `.env`, if a developer has one: what that sets is blank for tests, which counts as unset. */
const blanks = Object.fromEntries(
  Object.keys(existsSync(".env") ? parseEnv(readFileSync(".env", "utf8")) : {}).map((name) => [name, ""]),
);

/** Runs a command in this process, with `env` and nothing of this process's own environment. @param stdin what it can read */
export async function runHere(
  name: string,
  define: CommandDefinition,
  words: string[],
  env: Environment,
  stdin: AsyncIterable<Uint8Array | string> = process.stdin,
): Promise<Ended> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const catchSignals = () => new AbortController().signal;
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
  const terminal = { env: { ...blanks, ...set }, stdin, stdout, stderr, catchSignals };
  const code = await runCommand(name, define, words, terminal);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/**
 * Runs a command of `build/commands` in a process of its own; `npm run build` has to have been run.
 * @param onStart gets the process, to send it a signal, and its standard input, which stays open
 */
export function runProcess(
  name: string,
  words: string[],
  env: Environment,
  onStart?: (kill: (signal: NodeJS.Signals) => void, stdin: Writable) => void,
): Promise<Ended & { signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [`build/commands/${name}.js`, ...words],
      { cwd: root, env: { ...blanks, ...env } as NodeJS.ProcessEnv },
      (_, stdout, stderr) => resolve({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
    );
    onStart?.((signal) => child.kill(signal), child.stdin as Writable);
  });
}

class Collector extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}
