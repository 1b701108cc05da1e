/** Where the parts of the local stack listen. Decisions, section 11. */

export interface Ports {
  app: number;
  /** of `remix dev`, which rebuilds the app; a browser is told about changes through it */
  appRebuild: number;
  demo: number;
  mailbox: number;
  dataApi: number;
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
  objectStore: 9000,
  postgres: 54320,
};

export const partNames: Record<Part, string> = {
  app: "the app",
  appRebuild: "the app's rebuild server",
  demo: "the demo integrator",
  mailbox: "the mailbox",
  dataApi: "the Data API",
  objectStore: "the object store",
  postgres: "PostgreSQL",
};

const HIGHEST_OFFSET = 65_535 - BASE.postgres;

/** A mistake of whoever started the stack: the message alone says what to do. */
export class StackError extends Error {}

/**
 * @param offset what LOCAL_PORT_OFFSET says; added to every port
 * @param appPort what PORT says; blank or undefined means the usual one
 * @throws StackError when either is not a number that works
 */
export function settlePorts(offset: number, appPort?: string): Ports {
  if (!Number.isInteger(offset) || offset < 0 || offset > HIGHEST_OFFSET) {
    throw new StackError(`LOCAL_PORT_OFFSET must be a whole number from 0 to ${HIGHEST_OFFSET}.`);
  }
  const moved = Object.fromEntries(
    Object.entries(BASE).map(([part, port]) => [part, port + offset]),
  ) as unknown as Ports;
  if (!appPort?.trim()) return moved;
  const port = Number(appPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new StackError("PORT must be a whole number from 1 to 65535.");
  }
  return { ...moved, app: port, appRebuild: port === moved.appRebuild ? port + 1 : moved.appRebuild };
}
