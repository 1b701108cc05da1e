import { existsSync, readFileSync, realpathSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseEnv as parseEnvFile } from "node:util";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { z } from "zod";
import { forTerminal } from "../../embed-element/doctor/for-terminal";
import { type EnvVariables, parseOnly } from "../env/env.server";
import { createDatabase, type Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { codeOf, messageOf } from "../shared/error-text";
import { validationMessages } from "../shared/validation-messages";

/** The running local stack writes the app's environment into this file, and deletes it when it stops. */
const localEnvFile = ({ LOCAL_STATE_DIR }: EnvVariables) =>
  join(LOCAL_STATE_DIR?.trim() || ".local", "app.env");

/** The parts of its process that a command uses. Tests pass their own. */
export interface Terminal {
  env: EnvVariables;
  stdin: AsyncIterable<Uint8Array | string>;
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
  /** From now on, SIGINT and SIGTERM abort the returned signal instead of ending the process; a second one ends the process. */
  catchSignals(): AbortSignal;
}

/** One run of a command. */
export class Session {
  /**
   * `log` writes results to standard output, `error` progress and problems to standard error: one line, or several. Both write control
   * characters as `\u001b`, because names in a database and answers of servers may contain them.
   */
  readonly console: Record<"log" | "error", (text: string) => void>;
  /** Writes lines to standard output with the colours that the text has. */
  readonly printStyled = (text: string): void => this.print(`${text}\n`);
  /** why a result could not be printed */
  #printError: Error | undefined;
  exitCode = 0;
  /** whether `environment` used the running local stack */
  usesLocalStack = false;

  constructor(readonly terminal: Terminal) {
    // Without a listener an error would end the process. It also reaches the callback of `write`.
    for (const stream of [terminal.stdout, terminal.stderr]) stream.on("error", () => {});
    this.console = {
      log: (text) => this.print(`${forTerminal(text)}\n`),
      error: (text) => void terminal.stderr.write(`${forTerminal(text)}\n`),
    };
  }

  /**
   * The command's environment: variables that are set come first, then `.env`, then those of a running local stack. If the local stack is
   * used, this is printed, so that nobody changes another database than they think.
   * @param needed a variable that the command cannot do without; if it is set, the local stack is not used
   */
  environment(needed = "POSTGRES_URL"): EnvVariables {
    const variables = withFile(this.terminal.env, ".env");
    if (variables[needed]?.trim() || !existsSync(localEnvFile(variables))) return variables;
    this.console.error("Using the local stack.");
    this.usesLocalStack = true;
    return withFile(variables, localEnvFile(variables));
  }

  /** Runs `work` with the database of the environment, then closes the database. @throws EnvError */
  async withDatabase<Result>(
    work: (database: Database, variables: EnvVariables) => Promise<Result>,
  ): Promise<Result> {
    const variables = this.environment();
    return withDatabaseOf(variables, (database) => work(database, variables));
  }

  printJson(value: unknown): void {
    this.console.log(JSON.stringify(value, null, 2));
  }

  /** Writes to standard output. If that fails, `allPrinted` rejects. */
  print(text: string): void {
    this.terminal.stdout.write(text, (error) => {
      if (error && !isReaderGone(error)) this.#printError ??= error;
    });
  }

  /** Resolves when everything is printed. @throws Error if the disk is full, for example */
  async allPrinted(): Promise<void> {
    await new Promise((resolve) => this.terminal.stdout.write("", resolve));
    if (this.#printError) throw new Error(`The result could not be printed: ${messageOf(this.#printError)}`);
  }

  /** Writes to standard output, no faster than it is read. */
  async write(text: AsyncIterable<string>): Promise<void> {
    await pipeline(text, this.terminal.stdout, { end: false }).catch((error: unknown) => {
      if (!isReaderGone(error)) throw error;
    });
  }
}

/** Whoever reads a pipe may close it early, as `head` does. */
const isReaderGone = (error: unknown) => codeOf(error) === "EPIPE";

/** Runs `work` with the database of POSTGRES_URL, then closes the database. @throws EnvError */
export async function withDatabaseOf<Result>(
  variables: EnvVariables,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { POSTGRES_URL: url } = parseOnly(variables, "POSTGRES_URL");
  const database = createDatabase({ url, poolSize: 2 });
  try {
    return await work(database);
  } finally {
    await database.$disconnect();
  }
}

function withFile(variables: EnvVariables, file: string): EnvVariables {
  if (!existsSync(file)) return variables;
  // A blank counts as unset.
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
  return { ...parseEnvFile(readFileSync(file, "utf8")), ...set };
}

/** Opens a file that was given as an argument. @throws Error if there is no such file, or it is a folder */
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path).catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) throw new Error(`There is no file ${path}.`);
    throw error;
  });
  if (!(await file.stat()).isDirectory()) return file;
  await file.close();
  throw new Error(`${path} is a folder.`);
}

export const JSON_OPTION = ["--json", "print the result as JSON"] as const;

export interface JsonOption {
  json?: boolean;
}

/**
 * Validates options with a schema of the API.
 * @param names the options of those members of the schema that have another name
 * @throws Error that names each invalid option
 */
export function readOptions<Schema extends z.ZodType>(
  schema: Schema,
  options: object,
  names: Record<string, string> = {},
): z.output<Schema> {
  const parsed = schema.safeParse(options, { error: validationMessages });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => {
    const member = String(path[0]);
    return `--${names[member] ?? member} ${message}`;
  });
  throw new Error(issues.join("\n"));
}

/** Parses an option that is a whole number. */
export const wholeNumber =
  (min: number, max: number) =>
  (value: string): number => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };

/** Adds a command's options and actions to `program`. */
export type CommandDefinition = (program: Command, session: Session) => void;

/**
 * Runs a command; never rejects. The message of an error goes to standard error, and the exit code is 1.
 * @param name as in `npm run <name>`
 * @param words the arguments
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
      writeOut: (text) => session.print(text),
      writeErr: (text) => terminal.stderr.write(text),
    });
  define(program, session);
  try {
    await program.parseAsync(words, { from: "user" });
    await session.allPrinted();
    return session.exitCode;
  } catch (error) {
    // Commander has already printed the usage error, or the help text.
    if (error instanceof CommanderError) return error.exitCode;
    const issues = error instanceof AppError ? error.issues : undefined;
    for (const line of issues?.map(({ path, message }) => `${path} ${message}`.trim()) ?? [messageOf(error)])
      session.console.error(line);
    return 1;
  }
}

/**
 * Runs a command and exits the process, if the process was started with the file at `moduleUrl`. Does nothing if a test has imported that
 * file.
 */
export async function runAsProcess(
  moduleUrl: string,
  name: string,
  define: CommandDefinition,
): Promise<void> {
  const started = process.argv[1];
  if (started === undefined || realpathSync(started) !== fileURLToPath(moduleUrl)) return;
  // The AWS SDK would print a warning about Node versions that it will stop supporting.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
  const code = await runCommand(name, define, process.argv.slice(2), {
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    catchSignals() {
      const stop = new AbortController();
      let abortedAt = 0;
      for (const signal of ["SIGINT", "SIGTERM"] as const)
        process.on(signal, () => {
          // One Ctrl-C may arrive twice: the terminal signals npm and this process, and npm forwards its signal.
          if (stop.signal.aborted && performance.now() - abortedAt > 1_000) process.exit(130);
          if (!stop.signal.aborted) abortedAt = performance.now();
          stop.abort();
        });
      return stop.signal;
    },
  });
  // Exit even if a connection is still open, but only after all output is written.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}
