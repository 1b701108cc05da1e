import { issueOfFolderPath, prefixOf } from "platform-embed-element/client";
import type { EmbedService } from "../../embed/service";
import { listVisibleEvents, type Reach } from "../../events/visible-events.server";
import { AppError } from "../../shared/app-error";
import { logError } from "../../shared/log.server";
import { issuesOfBuckets } from "../files/place/scope.server";
import { foldersOfPolicy } from "../files/reach-of-policy.server";
import type { ActivityContent } from "./props";
import {
  type ActivityPolicy,
  type ActivityScope,
  activityPolicySchema,
  activityScopeSchema,
  decideActivityScope,
} from "./scope.server";

/** Who did what: the events of a company, or of a bucket or folder. */
export const activity: EmbedService<ActivityScope, ActivityPolicy, ActivityContent> = {
  key: "activity",
  scopeSchema: activityScopeSchema,
  policySchema: activityPolicySchema,
  issuesOfPolicy: ({ buckets = [], paths = [] }) => [
    ...issuesOfBuckets(buckets),
    ...paths.flatMap((folder) => {
      const issue = issueOfFolderPath(folder);
      return issue === null ? [] : [`a folder path ${issue}: ${folder}`];
    }),
  ],
  reachOfPolicy: ({ buckets, paths }) =>
    buckets === undefined ? "company" : { folders: foldersOfPolicy(buckets, paths), others: false },
  decideScope: decideActivityScope,
  async load(grant, tools) {
    const { bucket, path: rootPath = "/" } = grant.scope;
    try {
      const page = await listVisibleEvents({}, {}, reachOf(grant), tools);
      return { bucket: bucket ?? null, rootPath, first: { ok: true, page } };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { requestId } = tools.context;
      logError(`The first events could not be read. ${error.logDetail ?? error.message}`, { requestId });
      return { bucket: bucket ?? null, rootPath, first: { ok: false, code: error.code, requestId } };
    }
  },
  connectSources: async () => [],
};

/** @param grant of an `activity` token */
export function reachOf({ companyId, scope }: { companyId: string; scope: ActivityScope }): Reach {
  return { companyId, bucket: scope.bucket, prefix: prefixOf(scope.path ?? "/") };
}
