import { z } from "zod";
import type { EmbedClient, Prisma } from "../../prisma/generated/client";
import { findCompleteCatalogues } from "../catalogue/catalogues.server";
import { type Database, inTransaction, RECORD_ID, type Transaction } from "../providers/database.server";
import { AppError, type InputIssue, invalidRequest } from "../shared/app-error";
import { shortText } from "../shared/short-text";
import { truncate } from "../shared/truncate";
import { toInputIssue, validationMessages } from "../shared/validation-messages";
import { createApiKey, hashApiKey } from "./api-key.server";
import { companyIdSchema, requireCompany } from "./company.server";
import { KEY_TTL_MS } from "./embed-clients.server";
import { lockClient } from "./embed-clients.sql.server";
import { normalizeOrigin, normalizeOrigins } from "./origin";
import { revokeTokensFor } from "./revoked-tokens.server";
import { findService, type ServiceRegistry } from "./service";

/** what a caller may send; a generous limit */
const MAX_SERVICES = 20;
const MAX_ORIGINS = 1_000;
/** characters; an origin that is longer has an impossible host */
const MAX_ORIGIN_LENGTH = 300;

/** The members of an embed client that a caller of the API chooses. */
const changeable = {
  name: shortText(200),
  allowedServices: z.array(z.string().max(100)).min(1).max(MAX_SERVICES),
  allowedOrigins: z.array(z.string().max(MAX_ORIGIN_LENGTH)).max(MAX_ORIGINS),
  allowedScopes: z
    .record(z.string(), z.unknown())
    // PostgreSQL stores no JSON with these in a text.
    .refine((policies) => !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(JSON.stringify(policies)), {
      error: "must not have null characters or halves of surrogate pairs",
    }),
  expiresAt: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .refine((time) => time > new Date(), { error: "must be in the future" })
    .nullable(),
};

/** The body of `POST /api/embed/clients`. */
export const newEmbedClientSchema = z.strictObject({
  companyId: companyIdSchema,
  ...changeable,
  expiresAt: changeable.expiresAt.optional(),
});

/** The body of `PATCH /api/embed/clients/{id}`. */
export const embedClientChangesSchema = z.strictObject(changeable).partial();

/** An embed client as the API shows it. */
export const embedClientSchema = z
  .object({
    id: z.string(),
    companyId: z.string(),
    name: z.string(),
    allowedServices: z.array(z.string()),
    allowedOrigins: z.array(z.string()),
    allowedScopes: z.unknown().describe("a policy for each service, by its key"),
    revokedAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "EmbedClient" });

/** A response with a new key. */
export const keyedEmbedClientSchema = z.object({
  client: embedClientSchema,
  apiKey: z.string().describe("shown only here; keep it on your backend"),
});

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
  expiresAt?: Date | null | undefined;
}

/**
 * Creates an embed client and its API key, in one statement. The raw key is in the result and nowhere else.
 * @throws AppError `invalid_request` with all issues, `company_not_found` if that is the only one
 */
export async function createEmbedClient(
  database: Database,
  { company, name, services, origins, policies, expiresAt }: NewEmbedClient,
  registry: ServiceRegistry,
): Promise<ShownEmbedClient & { apiKey: string }> {
  const issues = await allIssuesOf(database, { services, origins, policies }, registry);
  if ("id" in company && issues.length === 0) await requireCompany(database, company.id);
  else if ("id" in company && (await database.company.count({ where: company })) === 0)
    issues.push({
      path: "companyId",
      message: `is not the id of an existing company: ${truncate(company.id)}`,
    });
  if (issues.length > 0) throw invalidRequest(issues);

  const apiKey = createApiKey();
  const data = {
    company: "id" in company ? { connect: company } : { create: company },
    name,
    apiKeyHash: hashApiKey(apiKey),
    allowedServices: services,
    allowedOrigins: normalizeOrigins(origins),
    allowedScopes: policies as Prisma.InputJsonObject,
    expiresAt: expiresAt ?? null,
  };
  const client = await database.embedClient.create({ data, select: shown });
  return { ...client, apiKey };
}

/** What is wrong with the settings of an embed client. */
export function issuesOf(
  {
    services = [],
    origins = [],
    policies = {},
  }: {
    services?: readonly string[] | undefined;
    origins?: readonly string[] | undefined;
    policies?: Record<string, unknown> | undefined;
  },
  registry: ServiceRegistry,
): InputIssue[] {
  return [
    ...services.flatMap((key, index) =>
      findService(registry, key) === undefined
        ? { path: `allowedServices[${index}]`, message: `is not a known service: ${truncate(key)}` }
        : [],
    ),
    ...issuesOfOrigins(origins),
    ...Object.entries(policies).flatMap(([key, policy]) => issuesOfPolicy(key, policy, registry)),
  ];
}

/** As `issuesOf`, and what a policy needs that is not there. */
async function allIssuesOf(
  database: Pick<Database, "catalogue">,
  settings: Parameters<typeof issuesOf>[0],
  registry: ServiceRegistry,
): Promise<InputIssue[]> {
  const issues = issuesOf(settings, registry);
  if (issues.length > 0) return issues;
  const needed = Object.entries(settings.policies ?? {}).flatMap(([key, policy]) => {
    const service = findService(registry, key);
    const buckets = service?.bucketsWithCatalogue?.(service.policySchema.parse(policy)) ?? [];
    return buckets.map((bucket) => ({ key, bucket }));
  });
  if (needed.length === 0) return [];
  const complete = await findCompleteCatalogues(
    database,
    needed.map(({ bucket }) => bucket),
  );
  return needed.flatMap(({ key, bucket }) =>
    complete.some((one) => one.bucket === bucket)
      ? []
      : {
          path: `allowedScopes.${key}`,
          message: `is wrong: limits.maxTotalBytes needs a complete catalogue of the bucket ${truncate(bucket)}. Run: npm run catalogue -- add ${truncate(bucket)}`,
        },
  );
}

function issuesOfOrigins(origins: readonly string[]): InputIssue[] {
  return origins.flatMap((origin, index) => {
    if (normalizeOrigin(origin) !== null) return [];
    const message = `is not an origin, like https://app.example.com (no wildcard, no path): ${truncate(origin)}`;
    return { path: `allowedOrigins[${index}]`, message };
  });
}

function issuesOfPolicy(key: string, policy: unknown, registry: ServiceRegistry): InputIssue[] {
  const service = findService(registry, key);
  const path = `allowedScopes.${truncate(key)}`;
  if (service === undefined) return [{ path, message: "is not a known service" }];
  // A planned service has no schema yet. Its policy is validated when it is used.
  if (service === null) return [];
  const parsed = service.policySchema.safeParse(policy, { error: validationMessages });
  if (parsed.success)
    return service.issuesOfPolicy(parsed.data).map((message) => ({ path, message: `is wrong: ${message}` }));
  const unknown = parsed.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [],
  );
  if (unknown.length === 0)
    return parsed.error.issues.map((issue) =>
      toInputIssue({ ...issue, path: ["allowedScopes", key, ...issue.path] }),
    );
  const known = Object.entries(Object(policy)).filter(([member]) => !unknown.includes(member));
  return [
    ...unknown.map((member) => ({
      path: `${path}.${truncate(member)}`,
      message: "is not a member of the policy",
    })),
    ...issuesOfPolicy(key, Object.fromEntries(known), registry),
  ];
}

/** All columns but those of the key itself. */
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
  updatedAt: true,
};
type ShownEmbedClient = Omit<EmbedClient, "apiKeyHash" | "keyReplacedAt">;

/** All embed clients, oldest first. */
export function listEmbedClients(database: Database) {
  return database.embedClient.findMany({ select: shown, orderBy: { createdAt: "asc" } });
}

function clientNotFound(): AppError {
  return new AppError("client_not_found", "There is no embed client with this id.");
}

/** @throws AppError `client_not_found` */
export async function showEmbedClient(
  database: Pick<Database, "embedClient">,
  id: string,
): Promise<ShownEmbedClient> {
  const client = await findEmbedClient(database, id);
  if (client === null) throw clientNotFound();
  return client;
}

async function findEmbedClient(
  database: Pick<Database, "embedClient">,
  id: string,
): Promise<ShownEmbedClient | null> {
  return RECORD_ID.test(id) ? database.embedClient.findUnique({ where: { id }, select: shown }) : null;
}

/** For responses of the API. */
export function describeEmbedClient(client: ShownEmbedClient): z.infer<typeof embedClientSchema> {
  return {
    ...client,
    revokedAt: client.revokedAt?.toISOString() ?? null,
    expiresAt: client.expiresAt?.toISOString() ?? null,
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
  };
}

const MAX_PAGE_SIZE = 100;

/** The query of `GET /api/embed/clients`. */
export const embedClientsPageSchema = z.object({
  companyId: companyIdSchema.optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(MAX_PAGE_SIZE),
  cursor: z.string().max(500).optional(),
});

/**
 * One page of embed clients, newest first.
 * @throws AppError `company_not_found`, `invalid_request` for a cursor that no page has returned
 */
export async function pageEmbedClients(
  database: Database,
  { companyId, limit, cursor }: z.output<typeof embedClientsPageSchema>,
): Promise<{ clients: ShownEmbedClient[]; nextCursor: string | null }> {
  const after = cursor === undefined ? null : await findEmbedClient(database, cursor);
  if (cursor !== undefined && after === null) {
    throw invalidRequest([{ path: "cursor", message: "must be a nextCursor that this endpoint returned" }]);
  }
  if (companyId !== undefined) await requireCompany(database, companyId);
  const clients = await database.embedClient.findMany({
    where: { companyId },
    select: shown,
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: limit + 1,
    ...(after && { cursor: { id: after.id }, skip: 1 }),
  });
  const page = clients.slice(0, limit);
  return { clients: page, nextCursor: clients.length > limit ? (page.at(-1)?.id ?? null) : null };
}

async function lockEmbedClient(transaction: Transaction, id: string): Promise<ShownEmbedClient> {
  await lockClient(transaction, id);
  return showEmbedClient(transaction, id);
}

/** Ends the tokens that the new policies no longer permit, together with the change of the policies. */
async function endTokens(
  transaction: Transaction,
  { id, allowedScopes }: ShownEmbedClient,
  policies: Record<string, unknown>,
  registry: ServiceRegistry,
): Promise<void> {
  const before = Object(allowedScopes) as Record<string, unknown>;
  const isEnded = Object.keys(policies).some((key) =>
    findService(registry, key)?.endsTokens?.(before[key], policies[key]),
  );
  if (!isEnded) return;
  // A server that remembers the key goes on issuing tokens under the old policies.
  await revokeTokensWithin(transaction, id);
}

/** Revokes a client's tokens, also those that servers issue while they remember the key as it was. */
async function revokeTokensWithin(transaction: Transaction, id: string): Promise<void> {
  await revokeTokensFor(KEY_TTL_MS / 1000, id, inTransaction(transaction));
}

/**
 * Changes the given members of an embed client, for tokens that are issued from now on. Members that are not given keep their values.
 * @throws AppError `client_not_found`, `invalid_request` with all issues
 */
export async function changeEmbedClient(
  database: Database,
  id: string,
  changes: z.output<typeof embedClientChangesSchema>,
  registry: ServiceRegistry,
): Promise<ShownEmbedClient> {
  const { allowedServices: services, allowedOrigins: origins, allowedScopes: policies } = changes;
  const issues = await allIssuesOf(database, { services, origins, policies }, registry);
  if (issues.length > 0) throw invalidRequest(issues);
  if (!RECORD_ID.test(id)) throw clientNotFound();
  return database.$transaction(async (transaction) => {
    const client = await lockEmbedClient(transaction, id);
    if (policies !== undefined) await endTokens(transaction, client, policies, registry);
    return transaction.embedClient.update({
      where: { id },
      data: {
        ...changes,
        ...(origins === undefined ? {} : { allowedOrigins: normalizeOrigins(origins) }),
        ...(policies === undefined ? {} : { allowedScopes: policies as Prisma.InputJsonObject }),
      } as Prisma.EmbedClientUpdateInput,
      select: shown,
    });
  });
}

/**
 * Adds and removes allowed origins, for tokens that are issued from now on.
 * @returns all allowed origins
 * @throws AppError `client_not_found`, `invalid_request` with all issues
 */
export async function changeOrigins(
  database: Database,
  id: string,
  { add = [], remove = [] }: { add?: string[]; remove?: string[] },
): Promise<string[]> {
  const issues = issuesOfOrigins([...add, ...remove]);
  if (issues.length > 0) throw invalidRequest(issues);
  const removed = normalizeOrigins(remove);
  return database.$transaction(async (transaction) => {
    const { allowedOrigins } = await lockEmbedClient(transaction, id);
    const origins = normalizeOrigins([...allowedOrigins, ...add]).filter((one) => !removed.includes(one));
    await transaction.embedClient.update({ where: { id }, data: { allowedOrigins: origins } });
    return origins;
  });
}

/**
 * Changes a client's policy for one service, for tokens that are issued from now on.
 * @param change returns the new policy. It gets the old one, undefined if there is none, and may throw.
 * @throws AppError `client_not_found`, `invalid_request` with all issues of the new policy
 */
export async function changePolicy<Policy extends object>(
  database: Database,
  id: string,
  service: string,
  change: (policy: unknown) => Policy,
  registry: ServiceRegistry,
): Promise<Policy> {
  return database.$transaction(async (transaction) => {
    const client = await lockEmbedClient(transaction, id);
    const policies = Object(client.allowedScopes) as Record<string, unknown>;
    const policy = change(policies[service]);
    const issues = issuesOfPolicy(service, policy, registry);
    if (issues.length > 0) throw invalidRequest(issues);
    await endTokens(transaction, client, { [service]: policy }, registry);
    const changed = { ...policies, [service]: policy } as Prisma.InputJsonObject;
    await transaction.embedClient.update({ where: { id }, data: { allowedScopes: changed } });
    return policy;
  });
}

/**
 * Replaces the key of an embed client that is not revoked. The old key is refused within 5 seconds (`EmbedClients`), and so are the tokens that
 * were issued with it. Until then the new key is not replaced again: of two requests at once, one gets a key that works, and the other is told.
 * @param expiresAt when the new key expires, null for never; by default as the old one
 * @param keepTokens leave the tokens valid until they expire
 * @throws AppError `client_not_found`; `client_not_live` when it is revoked, or its key has expired and `expiresAt` is not given;
 * `rotation_conflict` when the key was replaced less than 5 seconds ago
 */
export async function rotateApiKey(
  database: Database,
  id: string,
  { expiresAt, keepTokens = false }: { expiresAt?: Date | null | undefined; keepTokens?: boolean } = {},
): Promise<ShownEmbedClient & { apiKey: string }> {
  if (!RECORD_ID.test(id)) throw clientNotFound();
  const apiKey = createApiKey();
  const keyReplacedAt = new Date();
  const rotated = await database.$transaction(async (transaction) => {
    const client = await lockEmbedClient(transaction, id);
    if (client.revokedAt !== null)
      throw new AppError("client_not_live", "This embed client is revoked. Create another one.");
    if (expiresAt === undefined && client.expiresAt && client.expiresAt <= keyReplacedAt)
      throw new AppError(
        "client_not_live",
        `The key expired at ${client.expiresAt.toISOString()}. Set expiresAt (--expires) to a later date first, or to never.`,
      );
    const since = new Date(keyReplacedAt.getTime() - KEY_TTL_MS);
    if ((await transaction.embedClient.count({ where: { id, keyReplacedAt: { gt: since } } })) > 0)
      throw new AppError(
        "rotation_conflict",
        "This key was replaced a moment ago. Use the new key, or replace it again in five seconds.",
      );
    if (!keepTokens) await revokeTokensWithin(transaction, id);
    const data = { apiKeyHash: hashApiKey(apiKey), keyReplacedAt };
    return transaction.embedClient.update({
      where: { id },
      data: { ...data, ...(expiresAt === undefined ? {} : { expiresAt }) },
      select: shown,
    });
  });
  return { ...rotated, apiKey };
}

/**
 * Revokes an embed client's key, within 5 seconds (`EmbedClients`). Repeating it changes nothing.
 * @throws AppError `client_not_found`
 */
export async function revokeEmbedClient(database: Database, id: string): Promise<void> {
  await showEmbedClient(database, id);
  await database.embedClient.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } });
}
