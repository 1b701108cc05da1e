/** The whole local stack: starts its parts in order, tells where they are, and stops them in the opposite order. */
import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { migrate } from "../prisma/migrate";
import { seedDatabase } from "../prisma/seed";
import { type AppMode, type Part, type Ports, parts, resolvePorts } from "./addresses";
import { buildElement, generateClientIfNeeded, startApp } from "./app-server";
import { checkPorts } from "./check-ports";
import { startDataApi } from "./data-api";
import { startDemo } from "./demo";
import { allowBrowsers, fillDemoBucket } from "./demo-bucket";
import { startMailbox } from "./mailbox";
import { startObjectStore } from "./object-store";
import { startPostgres } from "./postgres";
import { forgetPostgresData } from "./postgres-home";
import { startLocalQueue } from "./queue";
import { readOrMakeSecrets, type Secrets } from "./secrets";
import { CLUSTER_ARN, resolveSettings, SECRET_ARN, type Settings } from "./settings";
import { describeStack, publishStackInfo, type StackInfo } from "./stack-info";
import { lockDataDir } from "./stack-lock";

export interface StackOptions {
  /** where all state is kept; made when missing */
  dataDir: string;
  /** added to every port */
  portOffset: number;
  app: AppMode;
  /** settings that go to the app, and name external parts; nothing is read from process.env */
  env?: Record<string, string | undefined>;
  /** as `PostgresOptions.throwaway` */
  throwaway?: boolean;
  /** forget all state first */
  fresh?: boolean;
  /** gets what the parts print */
  log?: (text: string) => void;
  /** gives up a start that is under way */
  signal?: AbortSignal;
}

export interface LocalStack {
  info: StackInfo;
  ports: Ports;
  /** what the app has printed so far, standard output and standard error */
  output(): string;
  /** resolves with the name of the first part that ended by itself */
  crashed: Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts what the options ask for, and resolves when all of it is up. When it rejects, everything has been stopped.
 * @throws StackError for what the person who started it can fix: a port that is taken, a second stack
 */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const { dataDir, env = {} } = options;
  const ports = resolvePorts(options.portOffset, env.PORT);
  const run = new Run(options, ports);
  try {
    await mkdir(dataDir, { recursive: true });
    // Under root PostgreSQL is another user, who has to pass through; what is secret in here has mode 600.
    if (process.getuid?.() === 0) await chmod(dataDir, 0o711);
    run.onClose(await lockDataDir(dataDir));
    if (options.fresh) await forget(dataDir);
    const secrets = await readOrMakeSecrets(dataDir);
    const settings = resolveSettings(ports, secrets, env, options.app);
    await checkPorts(ports, settings.external, options.app);
    const info = describeStack(settings, secrets);

    await run.startProviders(settings, secrets, info);
    if (options.app !== "none") await run.startApps(options.app, settings, info);
    run.onClose(await publishStackInfo(dataDir, info, settings.appEnv));
    return { info, ports, output: () => run.output, crashed: run.crashed, close: () => run.close() };
  } catch (error) {
    await run.close();
    throw error;
  }
}

/** One start of the stack: what is up so far, and how it is stopped. */
class Run {
  output = "";
  readonly crashed: Promise<string>;
  #reportCrash: (part: string) => void = () => {};
  #closers: (() => Promise<unknown>)[] = [];
  #closing: Promise<void> | undefined;

  constructor(
    private readonly options: StackOptions,
    private readonly ports: Ports,
  ) {
    this.crashed = new Promise((resolve) => {
      this.#reportCrash = resolve;
    });
  }

  onClose(closer: () => Promise<unknown>): void {
    this.#closers.push(closer);
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      for (const closer of this.#closers.reverse()) await closer().catch(() => {});
    })();
    return this.#closing;
  }

  /** PostgreSQL, the object store, the mailbox and the Data API, each unless a real one takes its place. */
  async startProviders(settings: Settings, secrets: Secrets, info: StackInfo): Promise<void> {
    const { ports } = this;
    const { dataDir } = this.options;
    const isOurs = (part: Part) => !settings.external.has(part);

    if (isOurs("postgres")) {
      const postgres = await startPostgres({
        dataDir,
        port: ports.postgres,
        password: secrets.postgresPassword,
        throwaway: this.options.throwaway ?? false,
      });
      this.onClose(postgres.stop);
      this.#watch("postgres", postgres.exited);
    }
    this.options.signal?.throwIfAborted();
    await migrate(info.postgresUrl);
    await seedDatabase(info.postgresUrl, {
      apiKey: secrets.demoApiKey,
      origin: settings.demoOrigin,
      bucket: settings.bucket,
    });
    await generateClientIfNeeded();

    if (isOurs("objectStore")) {
      const { region, accessKeyId, secretAccessKey } = info.objectStore;
      const store = await startObjectStore({
        port: ports.objectStore,
        dataDir: join(dataDir, "object-store"),
        region,
        accessKeyId,
        secretAccessKey,
      });
      this.onClose(store.close);
      await fillDemoBucket(info);
      await allowBrowsers(info);
    }
    if (isOurs("mailbox")) this.onClose((await startMailbox(ports.mailbox)).close);
    if (isOurs("dataApi")) {
      const { accessKeyId, secretAccessKey } = info.objectStore;
      const dataApi = await startDataApi({
        port: ports.dataApi,
        accessKeyId,
        secretAccessKey,
        postgresUrl: info.postgresUrl,
        clusters: [{ resourceArn: CLUSTER_ARN, secretArn: SECRET_ARN }],
      });
      this.onClose(dataApi.close);
    }
    if (isOurs("queue")) {
      const { QUEUE_TOKEN: token = "", QUEUE_CURRENT_SIGNING_KEY: signingKey = "" } = settings.appEnv;
      const { log } = this.options;
      this.onClose((await startLocalQueue({ port: ports.queue, token, signingKey, log })).close);
    }
    this.options.signal?.throwIfAborted();
  }

  /** The app, and the demo integrator that calls it. */
  async startApps(mode: Exclude<AppMode, "none">, settings: Settings, info: StackInfo): Promise<void> {
    const { log = () => {}, signal } = this.options;
    if (mode === "dev") await buildElement();
    this.options.signal?.throwIfAborted();
    const app = await startApp({
      mode,
      ports: this.ports,
      env: settings.fullEnv,
      onOutput: (text) => {
        this.output += text;
        log(text);
      },
      signal,
    });
    this.onClose(app.stop);
    this.#watch("app", app.exited);

    const demo = await startDemo({
      port: this.ports.demo,
      apiBaseUrl: info.apiBaseUrl,
      platformBaseUrl: info.platformBaseUrl,
      apiKey: info.demoClient.apiKey,
      companyId: info.demoClient.companyId,
      bearerToken: settings.fullEnv.API_BEARER_TOKEN?.split(",")[0]?.trim(),
      bucket: settings.bucket,
      clusterRegion: info.clusterRegion,
      mailboxUrl: info.mailboxUrl,
      queue: { url: settings.fullEnv.QUEUE_URL ?? "", token: settings.fullEnv.QUEUE_TOKEN ?? "" },
    });
    this.onClose(demo.close);
  }

  #watch(part: Part, exited: Promise<unknown>): void {
    exited.then(() => {
      if (!this.#closing) this.#reportCrash(parts[part].name);
    });
  }
}

async function forget(dataDir: string): Promise<void> {
  await forgetPostgresData(dataDir);
  for (const name of ["secrets.json", "object-store", "postgres.location"]) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
