/** Starts the local stack and the built app for one test run, with their own state and ports, and removes them afterwards. */
import { appendFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isPortFree, type Ports, resolvePorts } from "../../../local/addresses";
import { type LocalStack, type StackOptions, startStack } from "../../../local/stack";
import { makeTestFolder } from "../databases/postgres";
import { refuseUnpinned } from "../databases/unpinned-names";
import { claim } from "../machine/free-port";
import { refuseStaleBuild } from "./stale-build";

export interface TestStack extends LocalStack {
  /** a file with everything the app has printed, readable by test processes */
  outputFile: string;
  /** the folder of the object store's buckets, for `writeObjects` */
  objectsFolder: string;
}

/** Requests per minute. */
const NO_LIMIT = "1000000000";
/** Searches and changes at once. */
const MAX_AT_ONCE = "1000";

/** Starts the stack. Needs `npm run build` unless `app` says otherwise. @throws Error if the build is older than its sources */
export async function startTestStack(
  options: Partial<Pick<StackOptions, "app" | "env">> = {},
): Promise<TestStack> {
  if ((options.app ?? "built") === "built") refuseStaleBuild();
  const dataDir = await makeTestFolder();
  const outputFile = join(dataDir, "app.log");
  appendFileSync(outputFile, "");
  const stack = await startStack({
    dataDir,
    portOffset: await findFreeOffset(),
    app: "built",
    throwaway: true,
    log: (text) => appendFileSync(outputFile, text),
    interceptStatement: ({ body }) => refuseUnpinned(String(body.sql)),
    ...options,
    // All tests call from the same address, and refused requests count too. So the limits are on, but too high to be reached.
    env: {
      RATE_LIMIT_PER_ADDRESS: NO_LIMIT,
      RATE_LIMIT_PER_KEY: NO_LIMIT,
      RATE_LIMIT_PER_TOKEN: NO_LIMIT,
      HEAVY_REQUESTS_PER_COMPANY: MAX_AT_ONCE,
      HEAVY_REQUESTS_PER_PROCESS: MAX_AT_ONCE,
      ...options.env,
    },
  }).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  return {
    ...stack,
    outputFile,
    objectsFolder: join(dataDir, "object-store"),
    async close() {
      await stack.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * With these, PostgreSQL's port is above the ephemeral ports (32768 to 60999 on Linux), which an outgoing connection could take before
 * PostgreSQL listens, and the other ports are below those of `findFreePort`.
 */
const FIRST_OFFSET = 6_700;
const OFFSETS = 4_200;

/** Finds an offset at which every service's port is free and that no other test uses. */
export async function findFreeOffset(): Promise<number> {
  for (;;) {
    const offset = FIRST_OFFSET + Math.floor(Math.random() * OFFSETS);
    const ports = portsAt(offset);
    if (!ports) continue;
    const free = await Promise.all(Object.values(ports).map(isPortFree));
    if (free.every(Boolean) && claim(`offset-${offset}`)) return offset;
  }
}

/** Returns undefined if the offset cannot be used. */
function portsAt(offset: number): Ports | undefined {
  try {
    return resolvePorts(offset);
  } catch {
    return undefined;
  }
}
