/** Child processes that end with this process. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const supervisor = fileURLToPath(new URL("supervisor.mjs", import.meta.url));

export interface TiedCommand {
  command: string;
  args: string[];
  /** the whole environment: nothing is inherited */
  env: Record<string, string>;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** the signal that asks it to stop; SIGTERM by default */
  stopSignal?: NodeJS.Signals;
  /** time between that signal and SIGKILL; 5000 by default */
  graceMs?: number;
  /** called with its output, both standard output and standard error */
  onOutput?: (text: string) => void;
}

export interface TiedProcess {
  /** resolves when it has ended for any reason; never rejects */
  exited: Promise<{ code: number | null }>;
  stop(): Promise<void>;
}

/** Starts a command that is stopped by `stop`, or when this process ends, even by `kill -9`. */
export function spawnTied(command: TiedCommand): TiedProcess {
  const child = fork(supervisor, [], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: [],
    // In another process group than the terminal's: Ctrl-C reaches only this process, which stops its services in order.
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8");
    // What is lost is output alone.
    stream?.on("error", () => {});
    stream?.on("data", (text: string) => command.onOutput?.(text));
  }
  const exited = new Promise<{ code: number | null }>((resolve) => {
    child.once("close", (code) => resolve({ code }));
    // "close" waits for the end of the output, which a surviving grandchild process may keep open.
    child.once("exit", (code) => setTimeout(() => resolve({ code }), 200));
    // There may be several: it could not be started, and nothing could be sent to it.
    child.on("error", () => resolve({ code: null }));
  });
  child.send({ stopSignal: "SIGTERM", graceMs: 5_000, ...command, onOutput: undefined });
  return {
    exited,
    async stop() {
      if (child.connected) child.send("stop");
      await exited;
    },
  };
}
