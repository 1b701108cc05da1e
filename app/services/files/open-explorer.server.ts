import { AppError } from "../../app-error";
import type { OpenedEmbed } from "../../embed/open-embed.server";
import { logError } from "../../log.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { currentRequestId } from "../../request-context.server";
import type { ExplorerProps } from "./explorer/props";
import { type FilesGrant, readFilesToken, type TokenSettings } from "./files-token.server";
import { listGrantedFolder } from "./list-folder.server";

/** The first listing is shown before any script runs: enough to fill a screen. */
const FIRST_PAGE_SIZE = 100;
/** How long the store may keep a person before a blank frame, milliseconds; after that the explorer shows itself and tries again. */
const FIRST_LISTING_LIMIT = 4_000;

/**
 * What the explorer starts with, the first folder listed. A store that fails is a state of the explorer, not of the page:
 * it can be tried again there.
 */
export async function openExplorer(
  embed: OpenedEmbed,
  objectStore: ObjectStore,
  settings: TokenSettings,
  { development }: { development: boolean },
): Promise<Omit<ExplorerProps, "theme" | "locale">> {
  const grant = readFilesToken(embed.token, settings);
  const { scope, expiresAt } = grant;
  return {
    token: embed.token,
    expiresAt,
    serverNow: settings.nowSeconds,
    bucket: scope.bucket,
    rootPath: scope.path ?? "/",
    uploadFolder: scope.uploadFolder ?? null,
    parentOrigin: embed.parentOrigin,
    parentOrigins: embed.parentOrigins,
    development,
    listing: await firstListing(grant, objectStore, development),
  };
}

async function firstListing(
  grant: FilesGrant,
  objectStore: ObjectStore,
  development: boolean,
): Promise<ExplorerProps["listing"]> {
  const { bucket, path: folderPath = "/" } = grant.scope;
  try {
    const request = { bucket, folderPath, pageSize: FIRST_PAGE_SIZE, limitMs: FIRST_LISTING_LIMIT };
    return { ok: true, folderPath, listing: await listGrantedFolder(grant, request, objectStore) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice = error.logDetail ?? error.message;
    logError(`The first folder could not be listed. ${advice}`);
    return {
      ok: false,
      code: error.code,
      requestId: currentRequestId(),
      ...(development ? { advice } : {}),
    };
  }
}
