/** Runs the operators' commands: in this process, which is fast, or in a separate one, as npm does. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { type CommandDefinition, runCommand } from "../../../app/commands/run-command";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Environment = Record<string, string | undefined>;

/** Commands read the checkout's `.env` if a developer has one. Tests blank its variables; a blank variable counts as unset. */
const blanks = Object.fromEntries(
  Object.keys(existsSync(".env") ? parseEnv(readFileSync(".env", "utf8")) : {}).map((name) => [name, ""]),
);

/**
 * Runs a command in this process with `env` only; it does not inherit this process's environment. @param stdin standard input of
 * the command
 */
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
 * Runs a command of `build/commands` in a separate process. Needs `npm run build`.
 * @param onStart receives the process, so that tests can send it signals; its standard input stays open
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
