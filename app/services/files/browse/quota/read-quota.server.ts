import { prefixOf } from "platform-embed-element/client";
import { isAreaWithin } from "../../../../catalogue/usage/area";
import type { ServiceTools } from "../../../../embed/service";
import { AppError } from "../../../../shared/app-error";
import { messageOf } from "../../../../shared/error-text";
import { logWarning } from "../../../../shared/log.server";
import { withinLimit } from "../../../../shared/within-limit";
import type { QuotaRequest, QuotaState } from "../../place/contract/storage-contract.server";
import { quotasOf } from "../../place/room.server";
import { assertBucketInScope, type FilesGrant, isHandInPage } from "../../place/scope-guards.server";

type QuotaTools = Pick<ServiceTools, "database" | "quotas" | "context">;

/**
 * Tells how full the token's quota is now.
 * @throws AppError `scope_not_allowed`, `unavailable` without the database
 */
export async function readQuota(
  { bucket }: Omit<QuotaRequest, "token">,
  grant: FilesGrant,
  tools: QuotaTools,
): Promise<QuotaState> {
  assertBucketInScope(bucket, grant.scope);
  return { quota: await usedOf(grant, tools) };
}

/** How long adding up may delay the page; after that the explorer asks itself. */
const PAGE_LIMIT_MS = 1_000;
/** A page that is opened again and again does not add up each time. */
const PAGE_MAX_AGE_SECONDS = 10;

/** As `readQuota`, for the page: a moment old at most. `late` if the database does not tell in time. */
export async function quotaOfPage(
  grant: FilesGrant,
  tools: QuotaTools,
): Promise<QuotaState["quota"] | "late"> {
  const late = () => new AppError("unavailable", "The quota could not be read in time.");
  try {
    return await withinLimit(PAGE_LIMIT_MS, usedOf(grant, tools, PAGE_MAX_AGE_SECONDS), late);
  } catch (error) {
    const { requestId } = tools.context;
    logWarning(`The page is sent without its quota. ${messageOf(error)}`, { requestId });
    return "late";
  }
}

/**
 * Null where the number would tell of what the visitor may not see: of folders beside the token's own, of files that are not checked yet, or of
 * those that others have handed in.
 */
async function usedOf(grant: FilesGrant, tools: QuotaTools, maxAgeSeconds = 0): Promise<QuotaState["quota"]> {
  const { bucket, path = "/", limits, requireTag } = grant.scope;
  if (limits?.maxTotalBytes === undefined || requireTag !== undefined || isHandInPage(grant.scope))
    return null;
  const visible = { buckets: [bucket], prefixes: [prefixOf(path)] };
  const quota = (await quotasOf(grant, tools)).find(({ area }) => isAreaWithin(area, visible));
  if (quota === undefined) return null;
  const usedBytes = await tools.quotas.measure(grant.companyId, quota.area, maxAgeSeconds);
  return usedBytes === undefined ? null : { usedBytes, maxBytes: quota.maxBytes };
}
