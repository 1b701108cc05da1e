import { z } from "zod";
import type { EmbedClient } from "../embed/embed-clients.server";
import { type KeyPolicies, reachOfKey } from "../embed/reach-of-key.server";
import type { ServiceRegistry } from "../embed/service";
import { eventTypes } from "../events/event";
import { type Database, RECORD_ID } from "../providers/database.server";
import { AppError, invalidRequest } from "../shared/app-error";
import { issueOfUrl } from "./public-address.server";
import {
  newWebhookSecret,
  openWebhookSecret,
  type SigningSecrets,
  sealWebhookSecret,
} from "./webhook-secret.server";
import { lockCompany, replaceSecret } from "./webhooks.sql.server";

const MAX_ENDPOINTS_PER_COMPANY = 10;
const MAX_URL_LENGTH = 2_000;

const groups = [...new Set(eventTypes.map((type) => `${type.split(".")[0]}.*`))];
const webhookTypes = ["*", ...groups, ...eventTypes] as [string, ...string[]];
const webhookTypeSchema = z.enum(webhookTypes);

/** The body of `POST /api/webhooks`. */
export const newWebhookSchema = z.strictObject({
  url: z.string().max(MAX_URL_LENGTH).describe("https, with a public address"),
  types: z
    .array(webhookTypeSchema)
    .min(1)
    .max(webhookTypes.length)
    .transform((types) => [...new Set(types)])
    .describe("which events, such as file.uploaded, file.* or *"),
});

/** An endpoint as the API shows it, without its secret. */
export const webhookSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    types: z.array(z.string()),
    companyId: z.string(),
    clientId: z.string().describe("whose API key created it"),
    createdAt: z.iso.datetime(),
    previousSecretUntil: z.iso.datetime().nullable().describe("until then the previous secret signs, too"),
    failingSince: z.iso.datetime().nullable().describe("since then every attempt has failed"),
    disabledAt: z.iso
      .datetime()
      .nullable()
      .describe(
        "since then it gets no events: it was switched off, or its API key was revoked or has expired",
      ),
    disabledReason: z.string().nullable(),
  })
  .meta({ id: "Webhook" });

/** A response with a new secret. */
export const keyedWebhookSchema = z.object({
  id: z.string(),
  url: z.string(),
  types: z.array(z.string()),
  secret: z.string().describe("shown only here"),
});

export interface WebhookSettings {
  signingSecrets: SigningSecrets;
  /** whether http and private addresses are allowed */
  allowPrivate: boolean;
}

/**
 * Creates an endpoint for the events of a company. The secret is in the result and nowhere else.
 * @throws AppError `invalid_request`, `webhook_limit_reached`
 */
export async function createWebhook(
  database: Database,
  client: { id: string; companyId: string },
  { url: givenUrl, types }: z.output<typeof newWebhookSchema>,
  { signingSecrets, allowPrivate }: WebhookSettings,
): Promise<z.infer<typeof keyedWebhookSchema>> {
  const issue = issueOfUrl(givenUrl, { allowPrivate });
  if (issue !== null) throw invalidRequest([{ path: "url", message: issue }]);
  const url = new URL(givenUrl).href;
  const { companyId } = client;
  const secret = newWebhookSecret();
  const data = {
    companyId,
    clientId: client.id,
    url,
    types,
    secret: sealWebhookSecret(secret, signingSecrets),
  };
  const id = await database.$transaction(async (transaction) => {
    await lockCompany(transaction, companyId);
    const select = { clientId: true, disabledAt: true, disabledReason: true };
    const made = await transaction.webhookEndpoint.findMany({ where: { companyId }, select });
    // A key for a part of the company can neither see nor delete those of a key that was revoked.
    const live = (await withKeys(transaction, made)).filter(({ isKeyLive }) => isKeyLive);
    if (live.length >= MAX_ENDPOINTS_PER_COMPANY)
      throw new AppError(
        "webhook_limit_reached",
        `A company has at most ${MAX_ENDPOINTS_PER_COMPANY} webhooks. Delete one first.`,
      );
    return (await transaction.webhookEndpoint.create({ data, select: { id: true } })).id;
  });
  return { id, url, types, secret };
}

/** All columns but the secrets. */
const shown = {
  id: true,
  companyId: true,
  clientId: true,
  url: true,
  types: true,
  previousSecretUntil: true,
  failingSince: true,
  disabledAt: true,
  disabledReason: true,
  createdAt: true,
};

/** Since when and why an endpoint gets nothing; both null if it is on. */
interface WebhookState {
  disabledAt: Date | null;
  disabledReason: string | null;
}

/** The endpoints, of which those whose API key is not live are off. */
async function withKeys<Endpoint extends WebhookState & { clientId: string }>(
  database: Pick<Database, "embedClient">,
  endpoints: readonly Endpoint[],
): Promise<(Endpoint & { isKeyLive: boolean; key: KeyPolicies })[]> {
  const clients = await database.embedClient.findMany({
    where: { id: { in: [...new Set(endpoints.map(({ clientId }) => clientId))] } },
    select: { id: true, revokedAt: true, expiresAt: true, allowedServices: true, allowedScopes: true },
  });
  const byId = new Map(clients.map((client) => [client.id, client]));
  return endpoints.map((endpoint) => {
    const client = byId.get(endpoint.clientId);
    const ended = endOfKey(client);
    const key = client ?? { id: endpoint.clientId, allowedServices: [], allowedScopes: {} };
    return { ...endpoint, ...ended, isKeyLive: ended === null, key };
  });
}

function endOfKey(
  client: { revokedAt: Date | null; expiresAt: Date | null } | undefined,
): { disabledAt: Date; disabledReason: string } | null {
  const now = new Date();
  if (client === undefined) return { disabledAt: now, disabledReason: "Its API key no longer exists." };
  const { revokedAt, expiresAt } = client;
  if (revokedAt !== null) return { disabledAt: revokedAt, disabledReason: "Its API key was revoked." };
  const isExpired = expiresAt !== null && expiresAt <= now;
  return isExpired ? { disabledAt: expiresAt, disabledReason: "Its API key has expired." } : null;
}

/** @throws AppError `webhook_disabled` if the API key that created the endpoint is not live */
export function assertKeyIsLive({
  id,
  isKeyLive,
  disabledReason,
}: WebhookState & { id: string; isKeyLive: boolean }): void {
  if (!isKeyLive)
    throw new AppError(
      "webhook_disabled",
      `The webhook ${id} is off. ${disabledReason} Create another one with a live key.`,
    );
}

/** @throws AppError `webhook_not_found`, also for an endpoint of another company; `scope_not_allowed` for one of another embed client */
export async function findEndpoint(database: Database, which: Which) {
  const found = await database.webhookEndpoint.findUnique({ where: whereOf(which) });
  const [endpoint] = found === null ? [] : await withKeys(database, [found]);
  if (endpoint === undefined) throw webhookNotFound();
  if (which.clientId !== undefined && endpoint.clientId !== which.clientId)
    throw new AppError(
      "scope_not_allowed",
      "This webhook was created with another API key. A key whose policies reach whole buckets may manage it.",
    );
  return endpoint;
}

/** @param owner everybody's without it @returns the oldest first */
export async function listWebhooks(database: Database, owner: WebhookOwner = {}) {
  const endpoints = await database.webhookEndpoint.findMany({
    where: owner,
    select: shown,
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  const known = await withKeys(database, endpoints);
  return known.map(
    ({ previousSecretUntil, failingSince, disabledAt, createdAt, isKeyLive: _, key: __, ...rest }) => ({
      ...rest,
      createdAt: createdAt.toISOString(),
      previousSecretUntil:
        previousSecretUntil !== null && previousSecretUntil > new Date()
          ? previousSecretUntil.toISOString()
          : null,
      failingSince: failingSince?.toISOString() ?? null,
      disabledAt: disabledAt?.toISOString() ?? null,
    }),
  );
}

/** Whose endpoints: those of one company or of one embed client; everybody's if none is given. */
interface WebhookOwner {
  companyId?: string | undefined;
  clientId?: string | undefined;
}

/** One endpoint of an owner. */
export interface Which extends WebhookOwner {
  id: string;
}

/**
 * Whose endpoints an API key manages: those of its company, if its policies reach whole buckets. Otherwise the key is for a part of the
 * company, and manages those that it has created: the URLs of others may contain secrets of their receivers.
 */
export function ownerFor(client: EmbedClient, services: ServiceRegistry): WebhookOwner {
  const { id, companyId } = client;
  const reach = reachOfKey(client, services);
  return reach === "company" || reach.others ? { companyId } : { companyId, clientId: id };
}

/** The endpoint as a condition for Prisma. @throws AppError `webhook_not_found` for what cannot be an id */
function whereOf({ id, companyId }: Which): Omit<Which, "clientId"> {
  if (!RECORD_ID.test(id)) throw webhookNotFound();
  return { id, companyId };
}

/** Deletes an endpoint. Events on their way are not sent any more. @throws AppError as `findEndpoint` */
export async function deleteWebhook(database: Database, which: Which): Promise<void> {
  await findEndpoint(database, which);
  const { count } = await database.webhookEndpoint.deleteMany({ where: whereOf(which) });
  if (count === 0) throw webhookNotFound();
}

/**
 * Gives an endpoint a new secret. The one before signs, too, for a day. Repeated within ten minutes, it returns the same secret.
 * @param which with `clientId`, only an endpoint that this embed client has created: its secret signs events that another key of the company
 * may not read
 * @throws AppError `webhook_not_found`, `scope_not_allowed`
 */
export async function rotateWebhookSecret(
  database: Database,
  { clientId, ...which }: Which,
  signingSecrets: SigningSecrets,
): Promise<z.infer<typeof keyedWebhookSchema>> {
  const endpoint = await findEndpoint(database, which);
  if (clientId !== undefined && endpoint.clientId !== clientId)
    throw new AppError("scope_not_allowed", "Only the API key that created a webhook may change its secret.");
  const secret = newWebhookSecret();
  const rotated = await replaceSecret(database, whereOf(which), sealWebhookSecret(secret, signingSecrets));
  if (rotated !== undefined) return { ...rotated, secret };
  const select = { id: true, url: true, types: true, secret: true };
  const found = await database.webhookEndpoint.findFirst({ where: whereOf(which), select });
  if (found === null) throw webhookNotFound();
  const current = openWebhookSecret(found.secret, signingSecrets);
  if (current === null)
    throw new Error("A webhook's new secret is encrypted with another EMBED_SIGNING_SECRET.");
  return { ...found, secret: current };
}

/**
 * Switches an endpoint on again, after its receiver was repaired. Deliveries that are pending are sent.
 * @throws AppError as `findEndpoint`; `webhook_disabled` if its API key is not live
 */
export async function enableWebhook(database: Database, which: Which): Promise<void> {
  assertKeyIsLive(await findEndpoint(database, which));
  const data = { disabledAt: null, disabledReason: null, failingSince: null };
  const { count } = await database.webhookEndpoint.updateMany({ where: whereOf(which), data });
  if (count === 0) throw webhookNotFound();
}

const webhookNotFound = () => new AppError("webhook_not_found", "There is no webhook with this id.");
