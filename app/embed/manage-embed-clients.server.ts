import type { Prisma } from "../../prisma/generated/client";
import type { Database } from "../providers/database.server";
import { createApiKey, hashApiKey } from "./api-key.server";
import { normalizeOrigin, normalizeOrigins } from "./origin";
import { findService, type ServiceRegistry } from "./service";

export interface NewEmbedClient {
  /** an existing company, or one to be made with it */
  company: { id: string } | { name: string };
  /** which integration the key is for */
  name: string;
  services: string[];
  origins: string[];
  /** what it may be given in each service, by its key */
  policies: Record<string, unknown>;
}

/**
 * Makes an embed client and its API key. The raw key is in the result and nowhere else.
 * @throws Error listing everything that is wrong, for whoever typed the command
 */
export async function createEmbedClient(
  database: Database,
  { company, name, services, origins, policies }: NewEmbedClient,
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
  // A planned service has no schema yet. Its policy is judged each time it is used.
  if (service === null) return [];
  const parsed = service.policySchema.safeParse(policy);
  if (parsed.success) return service.issuesOfPolicy(parsed.data);
  return parsed.error.issues.map(({ path, message }) => `policy ${[key, ...path].join(".")}: ${message}`);
}

/** All of an embed client but its key's hash. */
const shown = {
  id: true,
  name: true,
  companyId: true,
  allowedServices: true,
  allowedOrigins: true,
  allowedScopes: true,
  revokedAt: true,
  createdAt: true,
};

/** Every embed client, oldest first. */
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
 * Changes where an embed client's pages may be, from the next token on. Adding what is there, and removing what is not, changes nothing.
 * @returns the origins that it has now
 * @throws Error listing what is no origin, or where there is no such client
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
    // Whoever changes the same client at the same time waits here, and then reads what this one has written.
    await transaction.$queryRaw`SELECT 1 FROM "embed_clients" WHERE "id" = ${id} FOR UPDATE`;
    const { allowedOrigins } = await showEmbedClient(transaction, id);
    const origins = normalizeOrigins([...allowedOrigins, ...add]).filter((one) => !removed.includes(one));
    await transaction.embedClient.update({ where: { id }, data: { allowedOrigins: origins } });
    return origins;
  });
}

/**
 * Gives a live embed client a new key; the old one is refused from the next request on.
 * @throws Error where there is none
 */
export async function rotateApiKey(database: Database, id: string): Promise<{ apiKey: string }> {
  const apiKey = createApiKey();
  const { count } = await database.embedClient.updateMany({
    where: { id, revokedAt: null },
    data: { apiKeyHash: hashApiKey(apiKey) },
  });
  if (count === 0) throw new Error(`no live embed client with the id ${id}`);
  return { apiKey };
}

/**
 * Disables an embed client's key from the next request on. Doing it again changes nothing.
 * @throws Error where there is none
 */
export async function revokeEmbedClient(database: Database, id: string): Promise<void> {
  await database.embedClient.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } });
  await showEmbedClient(database, id);
}
