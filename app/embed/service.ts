import type { z } from "zod";
import type { ObjectStore } from "../providers/object-store.server";
import type { RequestContext } from "../request-context.server";

/**
 * What is the same for every service that can be embedded, and what each brings along. A service is one folder under
 * `app/services/`, with its page in it, and a line in `enabled.server.ts` there; nothing here or in `app/http/` names one.
 */
export interface EmbedService<
  Scope extends object = Record<string, unknown>,
  Policy = unknown,
  Content extends object = object,
> {
  /** as it stands in addresses (`/embed/{key}`), tokens (`svc`) and `allowed_services` */
  key: string;
  /** what may be asked for as `scope` when a URL is issued, and what a token's `scope` is */
  scopeSchema: z.ZodType<Scope>;
  /** the client's policy: what stands in `allowed_scopes` under the service's key */
  policySchema: z.ZodType<Policy>;
  /** What is wrong with a policy that is about to be stored, in sentences for whoever made it. */
  issuesOfPolicy(policy: Policy): string[];
  /** The scope that a token gets: never wider than the policy. @throws AppError `scope_not_allowed` */
  decideScope(requested: Scope, policy: Policy): Scope;
  /**
   * What the service's page starts with, rendered by the server.
   * @param path where the page around would like to begin, unchecked; nothing where it does not say
   */
  load(grant: Grant<Scope>, tools: ServiceTools, path?: string | null): Promise<Content>;
  /** Origins other than ours that the page reads from, writes to and shows images of. */
  connectSources(scope: Scope, tools: ServiceTools): Promise<string[]>;
}

/** What a verified embed token allows. */
export interface Grant<Scope = Record<string, unknown>> {
  scope: Scope;
  companyId: string;
  /** when the token ends, unix seconds */
  expiresAt: number;
}

/** What a service works with while it answers one request. */
export interface ServiceTools {
  objectStore: ObjectStore;
  request: RequestContext;
  /** unix seconds */
  nowSeconds: number;
  /** false on a developer's machine, where what an operator should know is shown on the screen as well */
  production: boolean;
  /** the origin of our own pages */
  platformBaseUrl: string;
  /** what is handed out to be handed back is signed with the first, and taken from any */
  signingSecrets: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: each service has a scope, policy and content of its own
export type AnyService = EmbedService<any, any, any>;

/** What the page of `Service` gets beside what every frame gets. */
export type ContentOf<Service extends AnyService> = Awaited<ReturnType<Service["load"]>>;

/** Every service that may be named, by its key; null for one that is planned and cannot be embedded yet. */
export type ServiceRegistry = Readonly<Record<string, AnyService | null>>;

/** The service of that key; null when it is planned, undefined when there is none of that name. */
export function findService(services: ServiceRegistry, key: string): EmbedService | null | undefined {
  return Object.hasOwn(services, key) ? services[key] : undefined;
}
