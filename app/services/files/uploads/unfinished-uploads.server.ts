/**
 * Remembers multipart uploads until they are complete or aborted, so that their visitors find them again in browsers that keep no record
 * of them. app/services/files/uploads/README.md
 */

import { hash } from "node:crypto";
import type { ServiceTools } from "../../../embed/service";
import { messageOf } from "../../../shared/error-text";
import { logWarning } from "../../../shared/log.server";
import { withinLimit } from "../../../shared/within-limit";
import type { FilesGrant } from "../place/scope-guards.server";
import { deleteHandle, readHandle, writeHandle } from "./uploads.sql.server";

/** The object that an upload will make. */
interface ObjectToUpload {
  bucket: string;
  key: string;
  /** bytes */
  size: number;
}

type DatabaseTools = Pick<ServiceTools, "database" | "context">;

/** Time limit for the database, milliseconds. Uploads work without it, so they do not wait for long. */
const MAX_WAIT_MS = 1_000;

/** Remembers the handle as the visitor's latest upload of this file. A failure is logged: the upload goes on, and is not found later. */
export async function rememberUpload(
  handle: string,
  file: ObjectToUpload,
  grant: FilesGrant,
  tools: DatabaseTools,
): Promise<void> {
  await orWarn(writeHandle(tools.database, ownerHash(file, grant), handle), tools);
}

/**
 * To be called when the upload is complete or aborted. `multipart/find` signs another handle for an upload that may be somebody
 * else's, so this call deletes nothing. The next `multipart/find` notices that the upload is gone, and deletes its row.
 */
export async function forgetUpload(
  handle: string,
  file: ObjectToUpload,
  grant: FilesGrant,
  tools: DatabaseTools,
): Promise<void> {
  await orWarn(deleteHandle(tools.database, ownerHash(file, grant), handle), tools);
}

/** @returns the handle of the visitor's unfinished upload of this file; null if none is known */
export async function findHandle(
  file: ObjectToUpload,
  grant: FilesGrant,
  tools: DatabaseTools,
): Promise<string | null> {
  const [row] = await orWarn(readHandle(tools.database, ownerHash(file, grant)), tools);
  return row?.handle ?? null;
}

/** Identifies a visitor's upload of a file. Rows are only looked up, so a hash is enough, and the table contains nobody's id. */
function ownerHash({ bucket, key, size }: ObjectToUpload, { clientId, visitor }: FilesGrant): string {
  return hash("sha256", JSON.stringify([clientId, visitor?.id ?? null, bucket, key, size]), "base64url");
}

/** @returns no rows if the database does not respond in time */
const orWarn = <Row>(rows: Promise<Row[]>, { context }: DatabaseTools): Promise<Row[]> =>
  withinLimit(MAX_WAIT_MS, rows, () => new Error("It did not respond in time.")).catch((thrown: unknown) => {
    logWarning(`Unfinished uploads cannot be found again: ${messageOf(thrown)}`, context);
    return [];
  });
