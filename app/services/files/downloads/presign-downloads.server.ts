import { isAddressable, nameOf, objectKey } from "platform-embed-element/client";
import type { ServiceTools, StoreTools } from "../../../embed/service";
import { authorOf } from "../../../events/event";
import type { VersionName } from "../../../providers/object-changes.server";
import { AppError } from "../../../shared/app-error";
import { logWarning } from "../../../shared/log.server";
import { mapConcurrently } from "../../../shared/map-concurrently";
import type {
  PresignDownloadRequest,
  PresignDownloadsRequest,
  PresignedDownload,
  PresignedDownloads,
} from "../place/contract/storage-contract.server";
import { askOnceWhetherKeepsVersions } from "../place/keeps-versions.server";
import { checkedVersion } from "../place/required-tag.server";
import {
  assertActionInScope,
  assertBucketInScope,
  assertFileInScope,
  type FilesGrant,
  presignedSeconds,
} from "../place/scope-guards.server";
import { contentDisposition } from "./content-disposition";
import { harmlessType, OPAQUE_TYPE } from "./harmless-type";

/** Maximum number of objects whose types are asked for at a time, for URLs that show files. */
const MAX_CONCURRENT_LOOKUPS = 16;
/** How long the store may take to tell the type of an object, milliseconds; without it the URL only downloads. */
const TYPE_TIMEOUT_MS = 2_000;

/** @throws AppError `token_expired`, and those of `findReadable` */
export async function presignDownload(
  body: PresignDownloadRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<PresignedDownload> {
  assertActionInScope("download", grant.scope);
  const key = "key" in body ? body.key : objectKey(body.folderPath, body.fileName);
  return presignOne({ ...body, key }, grant, tools);
}

/**
 * URLs for several downloads; a file outside the token's scope, or without the tag that the token requires, gets an error instead.
 * @throws AppError `token_expired`
 */
export async function presignDownloads(
  { keys, bucket, disposition, purpose, check }: PresignDownloadsRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<PresignedDownloads> {
  const expiresAt = tools.nowSeconds + (await presignedSeconds(grant, tools));
  // An archive holds the stored bytes. A browser would decompress an object that is stored as gzip, and its size would be another.
  const contentEncoding = disposition === "attachment" ? "identity" : undefined;
  const keepsVersions = askOnceWhetherKeepsVersions(bucket, tools);
  const files: VersionName[] = keys.map((file) => ({
    bucket,
    ...(typeof file === "string" ? { key: file } : file),
  }));
  const work = async (file: VersionName) => {
    const { key } = file;
    if (check) {
      // A file that is chosen for the embedding page must have the required tag, even if the token does not allow downloads.
      if (grant.scope.requireTag === undefined) assertActionInScope("download", grant.scope);
      await findReadable(file, grant, tools, keepsVersions);
      return { key };
    }
    assertActionInScope("download", grant.scope);
    const download = { ...file, disposition, purpose, contentEncoding };
    const { url } = await presignOne(download, grant, tools, keepsVersions);
    return { key, url };
  };
  const downloads = await mapConcurrently(files, MAX_CONCURRENT_LOOKUPS, (file) =>
    work(file).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return { key: file.key, error: error.code };
    }),
  );
  return { downloads, expiresAt };
}

/**
 * The version that may be read now, if the token allows downloads.
 * @throws AppError `scope_not_allowed`, `not_addressable`; if a tag is required, `being_checked`, `blocked`, `not_found` and those of the store
 */
async function findReadable(
  { bucket, key, versionId }: VersionName,
  { scope }: FilesGrant,
  tools: ServiceTools,
  keepsVersions?: () => Promise<boolean>,
): Promise<VersionName> {
  if (versionId !== undefined) assertActionInScope("history", scope);
  assertBucketInScope(bucket, scope);
  assertFileInScope(`/${key}`, scope);
  if (!isAddressable(key))
    throw new AppError(
      "not_addressable",
      "Browsers cannot download this file: a folder of its path, or the file itself, is named . or ..",
    );
  const checked = await checkedVersion({ bucket, key, versionId }, scope.requireTag, tools, keepsVersions);
  if (checked === null) throw new AppError("not_found", "There is no such file.");
  return { bucket, key, versionId: checked.versionId };
}

async function presignOne(
  file: VersionName & {
    disposition: "inline" | "attachment";
    purpose?: "thumbnail" | undefined;
    contentEncoding?: string | undefined;
  },
  grant: FilesGrant,
  tools: ServiceTools,
  keepsVersions?: () => Promise<boolean>,
): Promise<PresignedDownload> {
  const { bucket, key, versionId, disposition, purpose, contentEncoding } = file;
  const version = await findReadable(file, grant, tools, keepsVersions);
  const expiresInSeconds = await presignedSeconds(grant, tools);
  const url = await tools.objectStore.presignGet({
    ...version,
    contentDisposition: contentDisposition(disposition, nameOf(key) || "_"),
    contentType: disposition === "inline" ? await typeToShow(version, tools) : OPAQUE_TYPE,
    contentEncoding,
    expiresInSeconds,
  });
  const event = { ...authorOf(grant, tools.context), type: "file.download_signed", bucket, key } as const;
  await tools.events.record({ ...event, data: { disposition, purpose, version: versionId } });
  return { url, method: "GET", bucket, key, expiresAt: tools.nowSeconds + expiresInSeconds };
}

/** The type that the browser may show the object as; the opaque type if the store does not tell. */
async function typeToShow(object: VersionName, { objectStore, context }: StoreTools): Promise<string> {
  try {
    const described = await objectStore.describeObject(object, context, TYPE_TIMEOUT_MS);
    return described === null ? OPAQUE_TYPE : harmlessType(described.contentType, nameOf(object.key));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    logWarning(`The type of an object is unknown. ${error.logDetail ?? error.message}`, context);
    return OPAQUE_TYPE;
  }
}
