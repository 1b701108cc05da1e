import { Console } from "node:console";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { parseEnv as parseEnvFile } from "node:util";
import { Command, CommanderError } from "commander";
import { parseOnly } from "../env/schema.server";
import { messageOf } from "../error-text";
import type { Database } from "../providers/database.server";

/** Where the running local stack writes what it gives the app; it deletes the file when it stops. */
const localEnvFile = ({ LOCAL_STATE_DIR }: Environment) =>
  join(LOCAL_STATE_DIR?.trim() || ".local", "app.env");

type Environment = Record<string, string | undefined>;

/** What a command uses of the process that it runs in, so that a test can run it without one. */
export interface Terminal {
  env: Environment;
  stdin: AsyncIterable<Uint8Array | string>;
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
  /** Asks to be told of SIGINT and SIGTERM from now on, in place of being ended by them; a second one ends it all the same. */
  catchSignals(): AbortSignal;
}

/** A command's view of its terminal. */
export class Session {
  /** `log` writes results to standard output, `error` progress and problems to standard error. */
  readonly console: Console;
  exitCode = 0;

  constructor(readonly terminal: Terminal) {
    this.console = new Console(terminal.stdout, terminal.stderr);
  }

  /**
   * The environment of a command: what is set already counts first, then `.env`, then a running local stack's. A command
   * that is about to change something says which database it means, so this prints where it took it from.
   * @param needed the variable without which the command cannot work; where it is set, the local stack is left alone
   */
  environment(needed = "POSTGRES_URL"): Environment {
    const env = withFile(this.terminal.env, ".env");
    if (env[needed]?.trim() || !existsSync(localEnvFile(env))) return env;
    this.console.error("Using the local stack.");
    return withFile(env, localEnvFile(env));
  }

  /** Runs `work` with the environment's database, and closes it. @throws EnvError */
  async withDatabase<Result>(
    work: (database: Database, env: Environment) => Promise<Result>,
  ): Promise<Result> {
    const env = this.environment();
    const { POSTGRES_URL: url } = parseOnly(env, "POSTGRES_URL");
    // What asks no database does not load what does, which is half of a command's memory.
    const { createDatabase } = await import("../providers/database.server");
    const database = createDatabase({ url, poolSize: 2 });
    try {
      return await work(database, env);
    } finally {
      await database.$disconnect();
    }
  }
}

function withFile(env: Environment, file: string): Environment {
  if (!existsSync(file)) return env;
  // A blank counts as unset.
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  return { ...parseEnvFile(readFileSync(file, "utf8")), ...set };
}

/** Describes a command's options and what they do, for the program that it is given. */
export type CommandDefinition = (program: Command, session: Session) => void;

/**
 * Runs a command to its end; never rejects. What it throws becomes a sentence on standard error and exit code 1.
 * @param name as in `npm run <name>`
 * @returns the exit code
 */
export async function runCommand(
  name: string,
  define: CommandDefinition,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const session = new Session(terminal);
  const program = new Command(`npm run ${name} --`)
    .showHelpAfterError("Run with --help for usage.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    });
  define(program, session);
  try {
    await program.parseAsync(words, { from: "user" });
    return session.exitCode;
  } catch (error) {
    // Commander has written what is wrong with the words, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode;
    session.console.error(messageOf(error));
    return 1;
  }
}

/**
 * Runs a command as this process, and ends it, if the process was started for the file at `moduleUrl`; does nothing where a
 * test has imported that file.
 */
export async function runAsProcess(
  moduleUrl: string,
  name: string,
  define: CommandDefinition,
): Promise<void> {
  const started = process.argv[1];
  if (started === undefined || realpathSync(started) !== fileURLToPath(moduleUrl)) return;
  // Which Node the AWS SDK will want some day is not what was asked.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
  const code = await runCommand(name, define, process.argv.slice(2), {
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    catchSignals() {
      const stop = new AbortController();
      let toldAt = 0;
      for (const signal of ["SIGINT", "SIGTERM"] as const)
        process.on(signal, () => {
          // The terminal tells all of `npm run`, and npm tells on: one Ctrl-C may come twice.
          if (stop.signal.aborted && performance.now() - toldAt > 1_000) process.exit(130);
          if (!stop.signal.aborted) toldAt = performance.now();
          stop.abort();
        });
      return stop.signal;
    },
  });
  // A connection that hangs must not keep the process alive, and a pipe has to have taken the text before it ends.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}
