import { AppError } from "../../app-error";
import type { EmbedService, ServiceTools } from "../../embed/service";
import { logError } from "../../log.server";
import { defaultActions } from "./actions";
import type { FilesContent } from "./explorer/props";
import { isInside, issueOfFolderPath } from "./folder-path";
import { listFolder } from "./list-folder.server";
import {
  decideFilesScope,
  type FilesPolicy,
  type FilesScope,
  filesPolicySchema,
  filesScopeSchema,
} from "./scope.server";
import type { FilesGrant } from "./scope-guards.server";

/** The file explorer over one bucket, or a folder of it. */
export const files: EmbedService<FilesScope, FilesPolicy, FilesContent> = {
  key: "files",
  scopeSchema: filesScopeSchema,
  policySchema: filesPolicySchema,
  issuesOfPolicy: ({ paths = [], uploadFolders = [] }) =>
    [...paths, ...uploadFolders].flatMap((folder) => {
      const issue = issueOfFolderPath(folder);
      return issue === null ? [] : `a folder path ${issue}: ${folder}`;
    }),
  decideScope: decideFilesScope,
  async load(grant, tools, path) {
    const { scope } = grant;
    const rootPath = scope.path ?? "/";
    const wish = path || rootPath;
    const pathRefused = !isFolderBelow(wish, rootPath);
    const startPath = pathRefused ? rootPath : wish;
    return {
      bucket: scope.bucket,
      rootPath,
      startPath,
      pathRefused,
      uploadFolder: scope.uploadFolder ?? null,
      actions: scope.actions ?? defaultActions,
      limits: scope.limits ?? {},
      listing: await firstListing(startPath, grant, tools),
    };
  },
  connectSources: async (scope, { objectStore }) => [await objectStore.originOf(scope.bucket)],
};

const isFolderBelow = (path: string, rootPath: string) =>
  issueOfFolderPath(path) === null && isInside(path, rootPath);

/** The first listing is shown before any script runs: enough to fill a screen. */
const FIRST_PAGE_SIZE = 100;
/** How long the store may keep a person before a blank frame, milliseconds; after that the explorer shows itself and tries again. */
const FIRST_LISTING_LIMIT = 4_000;

/** A store that fails is a state of the explorer, not of the page: it can be tried again there. */
async function firstListing(
  folderPath: string,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<FilesContent["listing"]> {
  const { bucket } = grant.scope;
  const { requestId } = tools.request;
  try {
    const page = { bucket, folderPath, pageSize: FIRST_PAGE_SIZE, limitMs: FIRST_LISTING_LIMIT };
    return { ok: true, folderPath, listing: await listFolder(page, grant, tools) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice = error.logDetail ?? error.message;
    logError(`The first folder could not be listed. ${advice}`, { requestId });
    return { ok: false, code: error.code, requestId, ...(tools.production ? {} : { advice }) };
  }
}
