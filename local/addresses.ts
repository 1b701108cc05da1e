/** Where the parts of the local stack listen: docs/contract.md#local-stack. */

/** Each part's usual port, and its name in a sentence. */
export const parts = {
  app: { port: 3000, name: "the app" },
  // `remix dev`, which rebuilds the app; a browser is told about changes through it.
  appRebuild: { port: 3001, name: "the app's rebuild server" },
  demo: { port: 4000, name: "the demo integrator" },
  mailbox: { port: 8005, name: "the mailbox" },
  dataApi: { port: 8006, name: "the Data API" },
  queue: { port: 8007, name: "the queue" },
  objectStore: { port: 9000, name: "the object store" },
  postgres: { port: 54320, name: "PostgreSQL" },
};

export type Part = keyof typeof parts;
export type Ports = Record<Part, number>;

const HIGHEST_OFFSET = 65_535 - parts.postgres.port;

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
    Object.entries(parts).map(([part, { port }]) => [part, port + offset]),
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
