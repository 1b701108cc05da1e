import type { EventReach } from "../events/event-reach.server";
import type { EmbedClient } from "./embed-clients.server";
import { findService, type ServiceRegistry } from "./service";

/** What of an embed client decides what its API key reaches. Somebody may have edited the row by hand. */
export type KeyPolicies = Pick<EmbedClient, "id" | "allowedScopes"> & {
  allowedServices: readonly string[] | null;
};

/** Which events an API key may read: those that the policies of its services name together. A policy that is invalid names none. */
export function reachOfKey(
  { id, allowedServices, allowedScopes }: KeyPolicies,
  services: ServiceRegistry,
): EventReach {
  const policies: Record<string, unknown> = Object(allowedScopes);
  const reaches = (allowedServices ?? []).flatMap((key) => {
    const service = findService(services, key);
    const policy = service?.policySchema.safeParse(policies[key]);
    return service?.reachOfPolicy && policy?.success ? service.reachOfPolicy(policy.data, id) : [];
  });
  const bounded = reaches.flatMap((reach) => (reach === "company" ? [] : reach));
  if (bounded.length < reaches.length) return "company";
  return {
    folders: bounded.flatMap(({ folders }) => folders),
    others: bounded.some(({ others }) => others),
  };
}
