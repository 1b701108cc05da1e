import type { Prisma } from "../../prisma/generated/client";
import type { Database } from "../providers/database.server";
import { wordIssue } from "../shared/word-issue";
import { createApiKey, hashApiKey } from "./api-key.server";
import { normalizeOrigin, normalizeOrigins } from "./origin";
import { findService, type ServiceRegistry } from "./service";

export interface NewEmbedClient {
  /** an existing company, or a new one */
  company: { id: string } | { name: string };
  /** which integration the key is for */
  name: string;
  services: string[];
  origins: string[];
  /** for each service by its key, what tokens may allow */
  policies: Record<string, unknown>;
  /** when the key expires; never by default */
  expiresAt?: Date | null;
}

/**
 * Creates an embed client and its API key. The raw key is in the result and nowhere else.
 * @throws Error listing all problems, for the person who runs the command
 */
export async function createEmbedClient(
  database: Database,
  { company, name, services, origins, policies, expiresAt }: NewEmbedClient,
  registry: ServiceRegistry,
): Promise<{ id: string; apiKey: string }> {
  const issues = [
    ...services
      .filter((key) => findService(registry, key) === undefined)
      .map((key) => `no such service: ${key}`),
    ...issuesOfOrigins(origins),
    ...Object.entries(policies).flatMap(([key, policy]) => issuesOfPolicy(key, policy, registry)),
  ];
  if ("id" in company && (await database.company.count({ where: { id: company.id } })) === 0) {
    issues.push(`no such company: ${company.id}`);
  }
  if (issues.length > 0) throw new Error(issues.join("\n"));

  const apiKey = createApiKey();
  const { id } = await database.embedClient.create({
    data: {
      company: "id" in company ? { connect: company } : { create: company },
      name,
      apiKeyHash: hashApiKey(apiKey),
      allowedServices: services,
      allowedOrigins: normalizeOrigins(origins),
      allowedScopes: policies as Prisma.InputJsonObject,
      expiresAt,
    },
    select: { id: true },
  });
  return { id, apiKey };
}

function issuesOfOrigins(origins: readonly string[]): string[] {
  return origins
    .filter((origin) => normalizeOrigin(origin) === null)
    .map((origin) => `not an origin, like https://app.example.com (no wildcard, no path): ${origin}`);
}

function issuesOfPolicy(key: string, policy: unknown, registry: ServiceRegistry): string[] {
  const service = findService(registry, key);
  if (service === undefined) return [`no such service, so no policy for it: ${key}`];
  // A planned service has no schema yet. Its policy is validated when it is used.
  if (service === null) return [];
  const parsed = service.policySchema.safeParse(policy, { error: wordIssue });
  if (parsed.success) return service.issuesOfPolicy(parsed.data);
  return parsed.error.issues.map(({ path, message }) => `policy ${[key, ...path].join(".")}: ${message}`);
}

/** All columns but the key's hash. */
const shown = {
  id: true,
  name: true,
  companyId: true,
  allowedServices: true,
  allowedOrigins: true,
  allowedScopes: true,
  revokedAt: true,
  expiresAt: true,
  createdAt: true,
};

/** All embed clients, oldest first. */
export function listEmbedClients(database: Database) {
  return database.embedClient.findMany({ select: shown, orderBy: { createdAt: "asc" } });
}

/** @throws Error where there is none */
export async function showEmbedClient(database: Pick<Database, "embedClient">, id: string) {
  const client = await database.embedClient.findUnique({ where: { id }, select: shown });
  if (client === null) throw new Error(`no embed client with the id ${id}`);
  return client;
}

/**
 * Adds and removes allowed origins, for tokens that are issued from now on.
 * @returns all allowed origins
 * @throws Error listing what is no origin, or when there is no such client
 */
export async function changeOrigins(
  database: Database,
  id: string,
  { add = [], remove = [] }: { add?: string[]; remove?: string[] },
): Promise<string[]> {
  const issues = issuesOfOrigins([...add, ...remove]);
  if (issues.length > 0) throw new Error(issues.join("\n"));
  const removed = normalizeOrigins(remove);
  return database.$transaction(async (transaction) => {
    // Concurrent changes of the same client wait here, and then read what this one has written.
    await transaction.$queryRaw`SELECT 1 FROM "embed_clients" WHERE "id" = ${id} FOR UPDATE`;
    const { allowedOrigins } = await showEmbedClient(transaction, id);
    const origins = normalizeOrigins([...allowedOrigins, ...add]).filter((one) => !removed.includes(one));
    await transaction.embedClient.update({ where: { id }, data: { allowedOrigins: origins } });
    return origins;
  });
}

/**
 * Changes a client's policy for one service, for tokens that are issued from now on.
 * @param change returns the new policy. It gets the old one, undefined if there is none, and may throw.
 * @throws Error listing what is wrong with the new policy, or when there is no such client
 */
export async function changePolicy<Policy extends object>(
  database: Database,
  id: string,
  service: string,
  change: (policy: unknown) => Policy,
  registry: ServiceRegistry,
): Promise<Policy> {
  return database.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT 1 FROM "embed_clients" WHERE "id" = ${id} FOR UPDATE`;
    const { allowedScopes } = await showEmbedClient(transaction, id);
    const policies = Object(allowedScopes) as Record<string, unknown>;
    const policy = change(policies[service]);
    const issues = issuesOfPolicy(service, policy, registry);
    if (issues.length > 0) throw new Error(issues.join("\n"));
    const changed = { ...policies, [service]: policy } as Prisma.InputJsonObject;
    await transaction.embedClient.update({ where: { id }, data: { allowedScopes: changed } });
    return policy;
  });
}

/**
 * Changes when a client's key expires.
 * @param expiresAt null for never
 * @throws Error where there is none
 */
export async function changeExpiry(database: Database, id: string, expiresAt: Date | null): Promise<void> {
  await showEmbedClient(database, id);
  await database.embedClient.update({ where: { id }, data: { expiresAt } });
}

/**
 * Replaces the key of an embed client that is not revoked. The old key is refused within 5 seconds (`EmbedClients`).
 * @param expiresAt when the new key expires, null for never; by default as the old one
 * @throws Error when there is no such client, or when the old key has expired and `expiresAt` is not given
 */
export async function rotateApiKey(
  database: Database,
  id: string,
  expiresAt?: Date | null,
): Promise<{ apiKey: string }> {
  if (expiresAt === undefined) {
    const client = await database.embedClient.findUnique({ where: { id }, select: { expiresAt: true } });
    if (client?.expiresAt && client.expiresAt <= new Date())
      throw new Error(
        `its key expired at ${client.expiresAt.toISOString()}: set --expires to a date or "never"`,
      );
  }
  const apiKey = createApiKey();
  const { count } = await database.embedClient.updateMany({
    where: { id, revokedAt: null },
    data: { apiKeyHash: hashApiKey(apiKey), expiresAt },
  });
  if (count === 0) throw new Error(`no live embed client with the id ${id}`);
  return { apiKey };
}

/**
 * Revokes an embed client's key, within 5 seconds (`EmbedClients`). Repeating it changes nothing.
 * @throws Error where there is none
 */
export async function revokeEmbedClient(database: Database, id: string): Promise<void> {
  await database.embedClient.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } });
  await showEmbedClient(database, id);
}
