/** The addresses of the local stack: docs/contract.md#local-stack. */
import { createServer } from "node:net";

/** The default port of each service, and its name in a sentence. */
export const services = {
  app: { port: 3000, name: "the app" },
  demo: { port: 4000, name: "the demo portal" },
  mailbox: { port: 8005, name: "the mailbox" },
  dataApi: { port: 8006, name: "the Data API" },
  queue: { port: 8007, name: "the queue" },
  // `remix dev`, which rebuilds the app, and tells browsers to reload. It listens on all addresses: Remix has no setting for this.
  appRebuild: { port: 8008, name: "the app's rebuild server" },
  objectStore: { port: 9000, name: "the object store" },
  postgres: { port: 54320, name: "PostgreSQL" },
};

/** The documentation's site with `npm run docs -- --serve`, which is not a part of the stack. */
export const DOCS_PORT = 4010;

export type Service = keyof typeof services;
export type Ports = Record<Service, number>;

const MAX_OFFSET = 65_535 - services.postgres.port;

/** Ports from 3000 up that browsers and Node's fetch refuse. Fetch standard, "bad port". */
const REFUSED = new Set([
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** none: without the app and the demo; dev: rebuilt on every change; built: the output of `npm run build` */
export type AppMode = "none" | "dev" | "built";

/** A problem that the person who started the stack can solve. The message says how; no stack trace is needed. */
export class StackError extends Error {}

/**
 * @param offset LOCAL_PORT_OFFSET, which is added to every port
 * @param appPort PORT; blank or undefined means the default
 * @throws StackError when one of them is not a usable number
 */
export function resolvePorts(offset: number, appPort?: string): Ports {
  if (!Number.isInteger(offset) || offset < 0 || offset > MAX_OFFSET) {
    throw new StackError(`LOCAL_PORT_OFFSET must be a whole number from 0 to ${MAX_OFFSET}.`);
  }
  const ports = Object.fromEntries(
    Object.entries(services).map(([service, { port }]) => [service, port + offset]),
  ) as Ports;
  if (appPort?.trim()) {
    ports.app = Number(appPort);
    if (!Number.isInteger(ports.app) || ports.app < 1 || ports.app > 65_535) {
      throw new StackError("PORT must be a whole number from 1 to 65535.");
    }
    if (ports.app === ports.appRebuild) ports.appRebuild += 1;
  }
  const refused = Object.values(ports).find((port) => REFUSED.has(port));
  if (refused) {
    throw new StackError(`Browsers refuse port ${refused}. Choose another with PORT or LOCAL_PORT_OFFSET.`);
  }
  return ports;
}

/** @throws StackError for the first port that is needed and already in use */
export async function checkPorts(ports: Ports, external: ReadonlySet<Service>, app: AppMode): Promise<void> {
  const unused = new Set<Service>(external);
  if (app !== "dev") unused.add("appRebuild");
  if (app === "none") unused.add("app").add("demo");
  for (const [service, port] of Object.entries(ports) as [Service, number][]) {
    if (unused.has(service) || (await isPortFree(port))) continue;
    const choice = service === "app" ? "PORT=3100 or LOCAL_PORT_OFFSET=100" : "LOCAL_PORT_OFFSET=100";
    throw new StackError(
      `Port ${port}, which ${services[service].name} needs, is taken. Stop what listens there, or choose other ports with ${choice}. If nothing listens there, an outgoing connection has the port for the moment: try again.`,
    );
  }
}

/** Whether 127.0.0.1:port can be listened on right now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ host: "127.0.0.1", port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
