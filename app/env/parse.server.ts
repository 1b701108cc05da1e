import { z } from "zod";
import { MAILBOX, schema } from "./variables.server";

/** Environment variables by name, as `process.env` has them. */
export type EnvVariables = Record<string, string | undefined>;

/** Thrown for an environment that cannot be used; the message lists every issue in a line of its own, and contains no value. */
export class EnvError extends Error {
  override readonly name = "EnvError";

  /** @param issues a sentence each, which begins with the name of the variable */
  constructor(readonly issues: readonly string[]) {
    const lines = issues.map((issue) => `  ${issue}`).join("\n");
    super(`The environment is invalid:\n${lines}\nSee docs/reference/settings.md.`);
  }
}

/** Blanks count as unset: many deployment tools leave variables empty. */
export function withoutBlanks(variables: EnvVariables): EnvVariables {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
}

/**
 * @param found issues that are already known, to be thrown together with those found here
 * @throws EnvError
 */
export function parseVariables<Shape extends Record<string, z.ZodType>>(
  schema: z.ZodObject<Shape>,
  values: EnvVariables,
  found: readonly string[] = [],
): z.output<z.ZodObject<Shape>> {
  const parsed = schema.safeParse(values);
  const issues = new Set(found);
  for (const { path } of parsed.error?.issues ?? []) {
    const name = String(path[0]);
    const state = values[name] === undefined ? "is not set" : "is invalid";
    issues.add(`${name} ${state}; it must be ${schema.shape[name]?.description}`);
  }
  if (issues.size > 0 || !parsed.success) throw new EnvError([...issues]);
  return parsed.data;
}

/** For a command that needs only these variables. @throws EnvError */
export function parseOnly<Name extends keyof typeof schema.shape>(variables: EnvVariables, ...names: Name[]) {
  const shape = Object.fromEntries(names.map((name) => [name, schema.shape[name]]));
  return parseVariables(z.object(shape as Pick<typeof schema.shape, Name>), withoutBlanks(variables));
}

/** A database cluster and the secret that contains its user's password; both are ARNs on Amazon. */
export interface ClusterRefs {
  clusterRef: string;
  secretRef: string;
  /** where clients of its databases connect */
  address?: { host: string; port: number };
}

const POSTGRES_PORT = 5432;

/** `host` or `host:port`. */
const HOST = /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::(\d{1,5}))?$/;

/** The pairs CLUSTER_REF_<REGION> and SECRET_REF_<REGION>, and the pair without a region. Adds to `issues`. */
export function readClusters(values: EnvVariables, issues: string[]) {
  /** by region suffix, like `CA_CENTRAL_1` */
  const ofRegion: Record<string, ClusterRefs> = {};
  /** for every other region */
  let fallback: ClusterRefs | undefined;
  const names = Object.keys(values).flatMap(
    (name) => /^(?:CLUSTER_REF|SECRET_REF|CLUSTER_HOST)($|_.*)/.exec(name)?.[1] ?? [],
  );
  for (const suffix of new Set(names)) {
    const [clusterName, secretName] = [`CLUSTER_REF${suffix}`, `SECRET_REF${suffix}`];
    const clusterRef = values[clusterName]?.trim();
    const secretRef = values[secretName]?.trim();
    const hostName = `CLUSTER_HOST${suffix}`;
    const address = readHost(hostName, values, issues);
    if (!/^(_[A-Z0-9]+)*$/.test(suffix)) {
      const right = `CLUSTER_REF${suffix.toUpperCase().replaceAll("-", "_")}`;
      issues.push(`${clusterName} names no region; for a region like ca-central-1 write ${right}`);
    } else if (!clusterRef && !secretRef) {
      issues.push(`${clusterName} is not set; it must be, because ${hostName} is`);
    } else if (!clusterRef || !secretRef) {
      const [missing, set] = clusterRef ? [secretName, clusterName] : [clusterName, secretName];
      issues.push(`${missing} is not set; it must be, because ${set} is: a cluster needs both`);
    } else if (suffix === "") {
      fallback = { clusterRef, secretRef, ...address };
    } else {
      ofRegion[suffix.slice(1)] = { clusterRef, secretRef, ...address };
    }
  }
  return { ofRegion, fallback };
}

/** @returns nothing if the variable is not set. Adds to `issues`. */
function readHost(name: string, values: EnvVariables, issues: string[]): Pick<ClusterRefs, "address"> {
  const text = values[name]?.trim();
  if (!text) return {};
  const [, host, port = POSTGRES_PORT] = HOST.exec(text) ?? [];
  if (host !== undefined) return { address: { host, port: Number(port) } };
  issues.push(`${name} must be a host, or host:port`);
  return {};
}

/** Who e-mail is from. */
export interface Mailbox {
  name: string | undefined;
  address: string;
}

export function readMailbox(value: string | undefined): Mailbox | undefined {
  const [, name, address] = MAILBOX.exec(value ?? "") ?? [];
  if (address === undefined) return undefined;
  return { name: name?.trim().replace(/^"(.*)"$/, "$1") || undefined, address };
}
