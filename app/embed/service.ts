import type { z } from "zod";
import type { UsableCatalogues } from "../catalogue/usable-catalogues.server";
import type { Quotas } from "../catalogue/usage/quotas.server";
import type { EventReach } from "../events/event-reach.server";
import type { Events } from "../events/events.server";
import type { Database } from "../providers/database.server";
import type { ObjectClaims } from "../providers/object-claims.server";
import type { ObjectStore } from "../providers/object-store.server";
import type { RequestContext } from "../shared/request-context.server";
import type { Visitor } from "./visitor";

/**
 * A service that can be embedded. Each is a folder of `app/services/`, which contains its page, and is listed in
 * `registry.server.ts` there. Nothing in `app/embed/` or `app/http/` names a service.
 */
export interface EmbedService<
  Scope extends object = Record<string, unknown>,
  Policy = unknown,
  Content extends object = object,
> {
  /** its name in URLs (`/embed/{key}`), tokens (`svc`) and `allowed_services` */
  key: string;
  /** the `scope` in requests for a URL, and in tokens */
  scopeSchema: z.ZodType<Scope>;
  /** what an API key allows: the value of the service's key in `allowed_scopes` */
  policySchema: z.ZodType<Policy>;
  /** Problems of a policy that is about to be stored, as sentences for its author. */
  issuesOfPolicy(policy: Policy): string[];
  /** The buckets of which the policy needs a catalogue; none without it. */
  bucketsWithCatalogue?(policy: Policy): readonly string[];
  /** Whether tokens that were issued under the policy `before` must no longer be accepted once it is `after`; by default they are. */
  endsTokens?(before: unknown, after: unknown): boolean;
  /** Which events an API key with this policy may read; none without it. @param clientId the key's embed client */
  reachOfPolicy?(policy: Policy, clientId: string): EventReach;
  /** The scope of a token; never wider than the policy. @throws AppError `scope_not_allowed` */
  decideScope(requested: Scope, policy: Policy): Scope;
  /**
   * The content that the server renders into the service's page.
   * @param start where the embedding page wants to start, not validated
   */
  load(grant: Grant<Scope>, tools: ServiceTools, start?: StartPlace): Promise<Content>;
  /** What the integrator calls that which the page shows: the title of the document. Without it, the service's name is. */
  titleOf?(scope: Scope): string | undefined;
  /** The page that this scope gets in place of the service's own one, if the service has several. */
  pageOf?(scope: Scope): ServicePage<Scope> | undefined;
  /**
   * Called before an operation is handled: refuses one that a token of this scope may not use. Without it, each operation checks what it
   * needs.
   * @throws AppError `scope_not_allowed`
   */
  assertOperationInScope?(operationId: string, scope: Scope): void;
  /** The other origins that the page fetches from, uploads to and loads images from. */
  connectSources(scope: Scope, tools: ServiceTools): Promise<string[]>;
}

/** What the embedding page asks for in the frame's address; null: nothing in particular. */
export interface StartPlace {
  path: string | null;
  /** what is chosen there */
  filter: string | null;
}

/** A further page of a service, for some scopes. Its module is `page.tsx` in a folder of the service that has the page's key as its name. */
export interface ServicePage<
  Scope extends object = Record<string, unknown>,
  Content extends object = object,
> {
  key: string;
  /** the content that the server renders into it */
  load(grant: Grant<Scope>, tools: ServiceTools): Promise<Content>;
}

/** What a verified embed token allows. */
export interface Grant<Scope = Record<string, unknown>> {
  scope: Scope;
  companyId: string;
  /** the embed client whose API key requested the token */
  clientId: string;
  /** undefined if the integrator did not say who is visiting */
  visitor: Visitor | undefined;
  /** of the pages that may use the token, normalized */
  origins: readonly string[];
  /** unix seconds */
  issuedAt: number;
  /** when the token expires, unix seconds */
  expiresAt: number;
}

/** What a service needs to handle one request. */
export interface ServiceTools {
  objectStore: ObjectStore;
  /** writes what happens to the record */
  events: Events;
  /** keeps changes of one object apart */
  claims: ObjectClaims;
  /** tells of a bucket whether its catalogue can be asked in place of the store */
  catalogues: Pick<UsableCatalogues, "find">;
  /** gives room under a quota */
  quotas: Pick<Quotas, "reserve" | "end" | "isHeld" | "measure">;
  /** for reading the record and catalogues, and for unfinished uploads */
  database: Pick<Database, "$driverQuery" | "$queryInTurn">;
  context: RequestContext;
  /** unix seconds */
  nowSeconds: number;
  /** false on a developer's machine, where messages for the operator are shown on the screen as well */
  production: boolean;
  /** the origin of our own pages */
  platformBaseUrl: string;
  /** cursors and handles are signed with the first, and accepted from any */
  signingSecrets: readonly [string, ...string[]];
}

/** What a step of an operation needs to call the store. */
export type StoreTools = Pick<ServiceTools, "objectStore" | "context">;

// biome-ignore lint/suspicious/noExplicitAny: each service has a scope, policy and content of its own
export type AnyService = EmbedService<any, any, any>;

// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyPage = ServicePage<any, any>;

/** What `load` of a service or of a further page returns: the props of its view, in addition to `FrameProps`. */
export type ContentOf<Service extends AnyService | AnyPage> = Awaited<ReturnType<Service["load"]>>;

/** All services by their keys; null for one that is planned and cannot be embedded yet. */
export type ServiceRegistry = Readonly<Record<string, AnyService | null>>;

/** Null when the service is planned, undefined when there is none of that key. */
export function findService(services: ServiceRegistry, key: string): EmbedService | null | undefined {
  return Object.hasOwn(services, key) ? services[key] : undefined;
}
