/** Where the parts of the local stack listen: docs/contract.md#local-stack. */

export interface Ports {
  app: number;
  /** of `remix dev`, which rebuilds the app; a browser is told about changes through it */
  appRebuild: number;
  demo: number;
  mailbox: number;
  dataApi: number;
  queue: number;
  objectStore: number;
  postgres: number;
}

export type Part = keyof Ports;

const BASE: Ports = {
  app: 3000,
  appRebuild: 3001,
  demo: 4000,
  mailbox: 8005,
  dataApi: 8006,
  queue: 8007,
  objectStore: 9000,
  postgres: 54320,
};

export const partNames: Record<Part, string> = {
  app: "the app",
  appRebuild: "the app's rebuild server",
  demo: "the demo integrator",
  mailbox: "the mailbox",
  dataApi: "the Data API",
  queue: "the queue",
  objectStore: "the object store",
  postgres: "PostgreSQL",
};

const HIGHEST_OFFSET = 65_535 - BASE.postgres;

/** Ports from 3000 up that browsers (and Node's fetch) refuse to talk to. Fetch standard, "bad port". */
const REFUSED = new Set([
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** none: all but the app and the demo; dev: rebuilt on every change; built: what `npm run build` made */
export type AppMode = "none" | "dev" | "built";

/** A mistake of the person who started the stack: the message alone says what to do. */
export class StackError extends Error {}

/**
 * @param offset what LOCAL_PORT_OFFSET says; added to every port
 * @param appPort what PORT says; blank or undefined means the usual one
 * @throws StackError when either is not a number that works
 */
export function resolvePorts(offset: number, appPort?: string): Ports {
  if (!Number.isInteger(offset) || offset < 0 || offset > HIGHEST_OFFSET) {
    throw new StackError(`LOCAL_PORT_OFFSET must be a whole number from 0 to ${HIGHEST_OFFSET}.`);
  }
  const ports = Object.fromEntries(
    Object.entries(BASE).map(([part, port]) => [part, port + offset]),
  ) as unknown as Ports;
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
