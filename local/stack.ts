/** Starts the services of the local stack in order, and stops them in the opposite order. */
import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { migrate, migrationStatus } from "../prisma/migrate";
import { seedDatabase } from "../prisma/seed";
import {
  type AppMode,
  checkPorts,
  DOCS_PORT,
  type Ports,
  resolvePorts,
  type Service,
  StackError,
  services,
} from "./addresses";
import { buildPublicFiles, startApp } from "./app-server";
import { type DataApiOptions, startDataApi } from "./data-api";
import { startDemo } from "./demo";
import { addCatalogueOf, allowBrowsers, fillDemoBucket } from "./demo-bucket";
import { startMailbox } from "./mailbox";
import { startObjectStore } from "./object-store";
import { startPostgres } from "./postgres";
import { forgetPostgresData } from "./postgres-home";
import { startLocalQueue } from "./queue";
import { Scanner } from "./scanner";
import { CLUSTER_ARN, resolveSettings, SECRET_ARN, type Settings } from "./settings";
import { describeStack, publishStackInfo, type StackInfo } from "./stack-info";
import { lockDataDir, readOrCreateSecrets, type Secrets } from "./state-folder";

export interface StackOptions {
  /** the folder for all state; created when missing */
  dataDir: string;
  /** added to every port */
  portOffset: number;
  app: AppMode;
  /** settings for the app, and addresses of external services; process.env is not read */
  env?: Record<string, string | undefined>;
  /** see `PostgresOptions.throwaway` */
  throwaway?: boolean;
  /** delete all state first */
  fresh?: boolean;
  /** as `DataApiOptions.intercept` */
  interceptStatement?: DataApiOptions["intercept"];
  /** gets the output of the services */
  log?: (text: string) => void;
  /** cancels the start */
  signal?: AbortSignal;
}

export interface LocalStack {
  info: StackInfo;
  /** what the app has printed so far, on standard output and standard error */
  output(): string;
  /** resolves to the name of the first service that ended by itself */
  crashed: Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts the stack, and resolves when all services are ready. If it rejects, everything has been stopped.
 * @throws StackError for problems such as a port that is taken, or a second stack
 */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const { dataDir, env = {} } = options;
  const ports = resolvePorts(options.portOffset, env.PORT);
  const run = new Run(options, ports);
  try {
    await mkdir(dataDir, { recursive: true });
    // When started by root, PostgreSQL runs as another user, who must be able to enter. Secret files have mode 600.
    if (process.getuid?.() === 0) await chmod(dataDir, 0o711);
    run.onClose(await lockDataDir(dataDir));
    if (options.fresh) await deleteState(dataDir);
    const secrets = await readOrCreateSecrets(dataDir);
    const settings = resolveSettings(ports, secrets, env, options.app);
    await checkPorts(ports, settings.external, options.app);
    const info = describeStack(settings, secrets);

    await run.startProviders(settings, secrets, info);
    if (options.app !== "none") await run.startApps(options.app, settings, info);
    run.onClose(await publishStackInfo(dataDir, info, settings.appEnv));
    return { info, output: () => run.output, crashed: run.crashed, close: () => run.close() };
  } catch (error) {
    await run.close();
    throw error;
  }
}

/** Until the first release, what changes the schema changes its one migration. @throws StackError when the database was made by another one */
async function checkIsOurs(postgresUrl: string): Promise<void> {
  const { edited, unknown } = await migrationStatus(postgresUrl);
  if (edited.length + unknown.length === 0) return;
  throw new StackError(
    "The local database was made by another version of the code. Start again with `npm run dev -- --fresh`, which deletes its data.",
  );
}

/** One start of the stack: the services started so far, and how to stop them. */
class Run {
  output = "";
  readonly crashed: Promise<string>;
  #reportCrash: (service: string) => void = () => {};
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

  /** PostgreSQL, the object store, the mailbox, the Data API and the queue, except those that are external. */
  async startProviders(settings: Settings, secrets: Secrets, info: StackInfo): Promise<void> {
    const { ports } = this;
    const { dataDir, throwaway = false, portOffset, signal, log } = this.options;
    const isLocal = (service: Service) => !settings.external.has(service);

    let clusterUrl = info.postgresUrl;
    if (isLocal("postgres")) {
      const postgres = await startPostgres({
        dataDir,
        port: ports.postgres,
        password: secrets.postgresPassword,
        throwaway,
      });
      clusterUrl = postgres.clusterUrl;
      this.onClose(postgres.stop);
      this.#watch("postgres", postgres.exited);
    }
    signal?.throwIfAborted();
    if (isLocal("postgres")) await checkIsOurs(info.postgresUrl);
    await migrate(info.postgresUrl);
    await seedDatabase(info.postgresUrl, {
      apiKey: secrets.demoApiKey,
      origins: [
        settings.demoOrigin,
        // People type localhost, too.
        settings.demoOrigin.replace("127.0.0.1", "localhost"),
        // Its home page embeds the demo's files.
        `http://127.0.0.1:${DOCS_PORT + portOffset}`,
      ],
      bucket: settings.bucket,
    });

    if (isLocal("objectStore")) {
      const scanner = new Scanner({ objectStore: info.objectStore, log });
      const store = await startObjectStore({
        ...info.objectStore,
        port: ports.objectStore,
        dataDir: join(dataDir, "object-store"),
        onStored: scanner.onStored,
      });
      this.onClose(store.close);
      this.onClose(async () => scanner.close());
      await fillDemoBucket(info, store);
      scanner.start();
      await allowBrowsers(info);
      if (settings.appEnv.CATALOGUE_MAX_LAG_SECONDS !== undefined)
        await addCatalogueOf(settings.bucket, info);
    }
    if (isLocal("mailbox")) this.onClose((await startMailbox(ports.mailbox)).close);
    if (isLocal("dataApi")) {
      const dataApi = await startDataApi({
        ...info.objectStore,
        port: ports.dataApi,
        postgresUrl: clusterUrl,
        clusters: [{ resourceArn: CLUSTER_ARN, secretArn: SECRET_ARN }],
        intercept: this.options.interceptStatement,
      });
      this.onClose(dataApi.close);
    }
    if (isLocal("queue")) {
      const { QUEUE_TOKEN: token = "", QUEUE_CURRENT_SIGNING_KEY: signingKey = "" } = settings.appEnv;
      this.onClose((await startLocalQueue({ port: ports.queue, token, signingKey, log })).close);
    }
    signal?.throwIfAborted();
  }

  /** The app, and the demo portal that calls it. */
  async startApps(mode: Exclude<AppMode, "none">, settings: Settings, info: StackInfo): Promise<void> {
    const { log = () => {}, signal } = this.options;
    if (mode === "dev") await buildPublicFiles();
    signal?.throwIfAborted();
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

  #watch(service: Service, exited: Promise<unknown>): void {
    exited.then(() => {
      if (!this.#closing) this.#reportCrash(services[service].name);
    });
  }
}

async function deleteState(dataDir: string): Promise<void> {
  await forgetPostgresData(dataDir);
  for (const name of ["secrets.json", "object-store", "postgres.location"]) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
