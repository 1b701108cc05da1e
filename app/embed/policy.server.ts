import { AppError } from "../app-error";
import type { EmbedService } from "./service";

/** The client's policy for `service`. @throws AppError `scope_not_allowed` when it has none that can be read */
export function readPolicy<Policy>(
  service: Pick<EmbedService<never, Policy>, "key" | "policySchema">,
  allowedScopes: unknown,
): Policy {
  const scopes: object = typeof allowedScopes === "object" && allowedScopes !== null ? allowedScopes : {};
  const policy = service.policySchema.safeParse(Reflect.get(scopes, service.key));
  if (policy.success) return policy.data;
  throw new AppError("scope_not_allowed", `This API key has no policy for ${service.key}.`, {
    logDetail: `allowed_scopes.${service.key} is missing or invalid`,
  });
}
