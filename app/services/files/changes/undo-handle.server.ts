import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import { AppError, invalidRequest } from "../../../shared/app-error";
import type { FilesGrant } from "../scope-guards.server";
import { MAX_UNDO_LENGTH } from "./changes-contract.server";

const PURPOSE = "files-undo";
/** how long a deletion can be undone */
const LIFETIME_SECONDS = 24 * 3600;
/** Keys and versions in one handle: in base64 they fit into what `restore` accepts, even without any compression. */
const MAX_LIST_BYTES = MAX_UNDO_LENGTH * 0.7;

/** The marker that deleting leaves in a bucket with versions. Removing it restores the object. */
export interface DeleteMarker {
  key: string;
  version: string;
}

/** The delete markers of one response. */
export class UndoList {
  readonly #markers: DeleteMarker[] = [];
  #bytes = 0;

  add(marker: DeleteMarker): void {
    this.#markers.push(marker);
    this.#bytes += Buffer.byteLength(JSON.stringify([marker.key, marker.version])) + 1;
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_LIST_BYTES;
  }

  get markers(): readonly DeleteMarker[] {
    return this.#markers;
  }
}

const signedSchema = z.object({
  companyId: z.string(),
  bucket: z.string(),
  /** SHA-256 of the list */
  list: z.string(),
  /** unix seconds */
  exp: z.int(),
});
const listSchema = z.array(z.tuple([z.string(), z.string()]));

/** Returns `signed~list`: the list is compressed, and the signed value contains its hash. Null where there is nothing to undo. */
export function signUndo(
  markers: readonly DeleteMarker[],
  { bucket, companyId }: { bucket: string; companyId: string },
  tools: ServiceTools,
): string | null {
  if (markers.length === 0) return null;
  const [secret] = tools.signingSecrets;
  const sorted = markers.map(({ key, version }) => [key, version]).sort();
  const list = deflateRawSync(JSON.stringify(sorted)).toString("base64url");
  const exp = tools.nowSeconds + LIFETIME_SECONDS;
  return `${signValue({ companyId, bucket, list: hashOf(list), exp }, secret, PURPOSE)}~${list}`;
}

/**
 * @throws AppError `invalid_request` when we did not sign it or it is older than a day; `scope_not_allowed` when it is
 * another company's
 */
export function readUndo(
  undo: string,
  bucket: string,
  grant: FilesGrant,
  tools: ServiceTools,
): DeleteMarker[] {
  const [signed = "", list = ""] = undo.split("~");
  const { data } = signedSchema.safeParse(readSignedValue(signed, tools.signingSecrets, PURPOSE));
  if (data === undefined || data.bucket !== bucket || data.list !== hashOf(list)) {
    throw invalidRequest([{ path: "undo", message: "is not what delete returned for this bucket" }]);
  }
  if (data.companyId !== grant.companyId) {
    throw new AppError("scope_not_allowed", "That deletion is another company's.");
  }
  if (tools.nowSeconds >= data.exp) {
    throw invalidRequest([{ path: "undo", message: "is older than a day" }]);
  }
  const markers = listSchema.parse(JSON.parse(inflateRawSync(Buffer.from(list, "base64url")).toString()));
  return markers.map(([key, version]) => ({ key, version }));
}

function hashOf(list: string): string {
  return createHash("sha256").update(list).digest("base64url");
}
