/** The whole local stack: starts its parts in order, tells where they are, and stops them in the opposite order. */
import { chmod, mkdir, rm } from "node:fs/promises";
import { migrate } from "../prisma/migrate";
import { seedDatabase } from "../prisma/seed";
import { type Part, type Ports, partNames, StackError, settlePorts } from "./addresses";
import { startPostgres } from "./postgres";
import { forgetPostgresData } from "./postgres-home";
import { isPortFree } from "./process/ports";
import { readOrMakeSecrets } from "./secrets";
import { type Settings, settle } from "./settings";
import { describeStack, publishStackInfo, type StackInfo } from "./stack-info";
import { lockDataDir } from "./stack-lock";

export interface StackOptions {
  /** where all state is kept; made when missing */
  dataDir: string;
  /** added to every port */
  portOffset: number;
  /** none: all but the app and the demo; dev: rebuilt on every change; built: what `npm run build` made */
  app: "none" | "dev" | "built";
  /** settings that go to the app, and make parts step aside; nothing is read from process.env */
  env?: Record<string, string | undefined>;
  /** forget all state first */
  fresh?: boolean;
  /** gets what the parts print */
  log?: (text: string) => void;
  /** gives up a start that is under way */
  signal?: AbortSignal;
}

export interface LocalStack {
  info: StackInfo;
  /** what the app has printed so far */
  output(): string;
  /** resolves with the name of the first part that ended by itself */
  crashed: Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts what the options ask for, and answers when all of it is up. When it rejects, everything has been stopped.
 * @throws StackError for what the person who started it can mend: a port that is taken, a second stack
 */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const { dataDir, env = {}, log = () => {}, signal } = options;
  const ports = settlePorts(options.portOffset, env.PORT);
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer().catch(() => {});
  };
  const crash = new Crash();
  const whenStopped = (part: Part, exited: Promise<unknown>) => crash.watch(part, exited);

  try {
    await mkdir(dataDir, { recursive: true });
    // Under root PostgreSQL is another user, who has to pass through; what is secret in here has mode 600.
    if (process.getuid?.() === 0) await chmod(dataDir, 0o711);
    closers.push(await lockDataDir(dataDir));
    if (options.fresh) await forget(dataDir);
    const secrets = await readOrMakeSecrets(dataDir);
    const settings = settle(ports, secrets, env);
    await checkPorts(ports, settings, options.app);
    const info = describeStack(settings, secrets);

    if (!settings.stepAside.has("postgres")) {
      const postgres = await startPostgres({
        dataDir,
        port: ports.postgres,
        password: secrets.postgresPassword,
        onLog: log,
      });
      closers.push(postgres.stop);
      whenStopped("postgres", postgres.exited);
    }
    signal?.throwIfAborted();
    await migrate(info.postgresUrl);
    await seedDatabase(info.postgresUrl, {
      apiKey: secrets.demoApiKey,
      origin: settings.demoOrigin,
      bucket: settings.bucket,
    });

    signal?.throwIfAborted();
    closers.push(await publishStackInfo(dataDir, info));
    return { info, output: () => "", crashed: crash.first, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Remembers the first part that ended although nobody asked it to. */
class Crash {
  #report: (part: string) => void = () => {};
  readonly first = new Promise<string>((resolve) => {
    this.#report = resolve;
  });

  watch(part: Part, exited: Promise<unknown>): void {
    exited.then(() => this.#report(partNames[part]));
  }
}

async function forget(dataDir: string): Promise<void> {
  await forgetPostgresData(dataDir);
  for (const name of ["secrets.json", "stack.json", "object-store", "postgres.location"]) {
    await rm(`${dataDir}/${name}`, { recursive: true, force: true });
  }
}

async function checkPorts(ports: Ports, settings: Settings, app: StackOptions["app"]): Promise<void> {
  const unused: Part[] = [...settings.stepAside];
  if (app !== "dev") unused.push("appRebuild");
  if (app === "none") unused.push("app", "demo");
  for (const [part, port] of Object.entries(ports) as [Part, number][]) {
    if (unused.includes(part) || (await isPortFree(port))) continue;
    const wayOut = part === "app" ? "PORT=3100 or LOCAL_PORT_OFFSET=100" : "LOCAL_PORT_OFFSET=100";
    throw new StackError(
      `Port ${port}, which ${partNames[part]} needs, is taken. Stop what listens there, or choose other ports with ${wayOut}.`,
    );
  }
}
