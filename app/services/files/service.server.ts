import { issueOfFolderPath, refusalOfStartPath } from "platform-embed-element/client";
import type { EmbedService, ServiceTools, StoreTools } from "../../embed/service";
import { AppError } from "../../shared/app-error";
import { logError } from "../../shared/log.server";
import { listFolder } from "./browse/list-folder.server";
import { quotaOfPage } from "./browse/quota/read-quota.server";
import { assertOperationInScope, handInView } from "./hand-in/hand-in-view.server";
import { defaultActions, type ScopeAction } from "./place/actions";
import { catalogueFor } from "./place/catalogue-for.server";
import { decideFilesScope, type FilesPolicy, filesPolicySchema } from "./place/policy.server";
import type { FilesContent } from "./place/props";
import { type FilesScope, filesScopeSchema, isSameTag, issuesOfBuckets } from "./place/scope.server";
import { type FilesGrant, isHandInPage } from "./place/scope-guards.server";
import { reachOfFilesPolicy } from "./reach-of-policy.server";

/** The file explorer for a bucket, or a folder in it; or a page to hand files in. */
export const files: EmbedService<FilesScope, FilesPolicy, FilesContent> = {
  key: "files",
  scopeSchema: filesScopeSchema,
  policySchema: filesPolicySchema,
  issuesOfPolicy: ({ buckets, paths = [], uploadFolders = [] }) => [
    ...issuesOfBuckets(buckets),
    ...[...paths, ...uploadFolders].flatMap((folder) => {
      const issue = issueOfFolderPath(folder);
      return issue === null ? [] : `a folder path ${issue}: ${folder}`;
    }),
  ],
  // Tokens that were issued before the policy required this tag, or had a quota, do not name it.
  endsTokens(before, after) {
    const tagOf = (policy: unknown) => filesPolicySchema.safeParse(policy).data?.requireTag;
    const hasQuota = (policy: unknown) =>
      filesPolicySchema.safeParse(policy).data?.limits?.maxTotalBytes !== undefined;
    const isTagNew = tagOf(after) !== undefined && !isSameTag(tagOf(before), tagOf(after));
    return isTagNew || (hasQuota(after) && !hasQuota(before));
  },
  bucketsWithCatalogue: ({ buckets, limits }) => (limits?.maxTotalBytes === undefined ? [] : buckets),
  reachOfPolicy: reachOfFilesPolicy,
  decideScope: decideFilesScope,
  async load(grant, tools, start) {
    const { scope } = grant;
    const rootPath = scope.path ?? "/";
    const requested = start?.path || rootPath;
    const isAllowed = refusalOfStartPath(requested, rootPath) === null;
    const startPath = isAllowed ? requested : rootPath;
    const [actions, listing, catalogue, quota] = await Promise.all([
      possibleActions(grant, tools),
      firstListing(startPath, grant, tools),
      catalogueFor(scope, tools),
      quotaOfPage(grant, tools),
    ]);
    return {
      bucket: scope.bucket,
      rootPath,
      startPath,
      refusedPath: isAllowed ? null : requested,
      // It is of the folder that was asked for.
      startFilter: (isAllowed && start?.filter) || "",
      uploadFolder: scope.uploadFolder ?? null,
      actions,
      limits: scope.limits ?? {},
      onlyChecked: scope.requireTag !== undefined,
      listing,
      hasCatalogue: catalogue !== undefined,
      quota,
    };
  },
  titleOf: ({ title }) => title,
  pageOf: (scope) => (isHandInPage(scope) ? handInView : undefined),
  assertOperationInScope,
  connectSources: async (scope, { objectStore }) => [await objectStore.originOf(scope.bucket)],
};

/** How long the store may take to tell whether a bucket keeps versions. */
const VERSIONING_TIMEOUT_MS = 4_000;

/**
 * The token's actions. Without `history` and `purge` if the bucket has never kept versions, or the store does not say: then the explorer
 * need not ask whether there are older versions. If the store is not available, the explorer offers them.
 */
async function possibleActions(
  { scope }: FilesGrant,
  { objectStore, context }: StoreTools,
): Promise<readonly ScopeAction[]> {
  const { bucket, actions = defaultActions } = scope;
  const withoutVersions = actions.filter((action) => action !== "history" && action !== "purge");
  if (withoutVersions.length === actions.length) return actions;
  try {
    const versioning = await objectStore.versioning(bucket, context, VERSIONING_TIMEOUT_MS);
    return versioning === "" ? withoutVersions : actions;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === "unavailable" ? actions : withoutVersions;
  }
}

/** The server renders this many entries: enough to fill a screen. */
const FIRST_PAGE_SIZE = 100;
/** How long the first listing may delay the page; after that the explorer is shown without it, and lists the folder itself. */
const FIRST_LISTING_TIMEOUT_MS = 4_000;

/** An error of the store is part of the content, because the explorer shows it and can try again. */
async function firstListing(
  folderPath: string,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<FilesContent["listing"]> {
  const { bucket } = grant.scope;
  const { requestId } = tools.context;
  try {
    const page = { bucket, folderPath, pageSize: FIRST_PAGE_SIZE, limitMs: FIRST_LISTING_TIMEOUT_MS };
    return { ok: true, folderPath, listing: await listFolder(page, grant, tools) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice = error.logDetail ?? error.message;
    logError(`The first folder could not be listed. ${advice}`, { requestId });
    return { ok: false, code: error.code, requestId, ...(tools.production ? {} : { advice }) };
  }
}
