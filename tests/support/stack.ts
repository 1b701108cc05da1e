/** The local stack with the built app, for a test run of its own: its own state, its own ports, nothing left behind. */
import { appendFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Ports, resolvePorts } from "../../local/addresses";
import { isPortFree } from "../../local/process/ports";
import { type LocalStack, type StackOptions, startStack } from "../../local/stack";
import { makeTestFolder } from "./postgres";

export interface TestStack extends LocalStack {
  /** a file with all that the app has printed, which test processes can read too */
  outputFile: string;
}

/** requests a minute */
const FAR = "1000000000";

/** Starts the stack; `npm run build` has to have been run, unless `app` says otherwise. */
export async function startTestStack(
  options: Partial<Pick<StackOptions, "app" | "env">> = {},
): Promise<TestStack> {
  const dataDir = await makeTestFolder();
  const outputFile = join(dataDir, "app.log");
  appendFileSync(outputFile, "");
  const stack = await startStack({
    dataDir,
    portOffset: await findFreeOffset(),
    app: "built",
    throwaway: true,
    log: (text) => appendFileSync(outputFile, text),
    ...options,
    // Every test comes from the same address, and what is refused there is counted: limits are on, and far away.
    env: { RATE_LIMIT_PER_ADDRESS: FAR, RATE_LIMIT_PER_KEY: FAR, RATE_LIMIT_PER_TOKEN: FAR, ...options.env },
  }).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  return {
    ...stack,
    outputFile,
    async close() {
      await stack.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** An offset at which every part's port is free. Drawn at random, so that runs side by side do not meet. */
export async function findFreeOffset(): Promise<number> {
  for (;;) {
    const offset = 100 + Math.floor(Math.random() * 10_000);
    const ports = portsAt(offset);
    if (!ports) continue;
    const free = await Promise.all(Object.values(ports).map(isPortFree));
    if (free.every(Boolean)) return offset;
  }
}

/** undefined for an offset that cannot be used */
function portsAt(offset: number): Ports | undefined {
  try {
    return resolvePorts(offset);
  } catch {
    return undefined;
  }
}
