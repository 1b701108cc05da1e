/** Child processes that cannot outlive this one. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const keeper = fileURLToPath(new URL("keeper.mjs", import.meta.url));

export interface KeptCommand {
  command: string;
  args: string[];
  /** the whole environment: nothing is inherited */
  env: Record<string, string>;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** how it likes to be asked to stop; SIGTERM unless told */
  stopSignal?: NodeJS.Signals;
  /** milliseconds between asking and killing; 5000 unless told */
  graceMs?: number;
  /** called with everything it prints, standard output and standard error alike */
  onOutput?: (text: string) => void;
}

export interface KeptProcess {
  /** resolves when it has gone, whoever ended it; never rejects */
  exited: Promise<{ code: number | null }>;
  stop(): Promise<void>;
}

/** Starts a command which stops when `stop` is called and when this process ends, even by `kill -9`. */
export function keepRunning(command: KeptCommand): KeptProcess {
  const child = fork(keeper, [], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: [],
    // Out of the terminal's process group: Ctrl-C reaches this process alone, which then stops its parts in order.
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8");
    stream?.on("data", (text: string) => command.onOutput?.(text));
  }
  const exited = new Promise<{ code: number | null }>((resolve) => {
    child.once("close", (code) => resolve({ code }));
    // "close" waits for the output, which a grandchild that was left behind may hold open for ever.
    child.once("exit", (code) => setTimeout(() => resolve({ code }), 200));
    child.once("error", () => resolve({ code: null }));
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
