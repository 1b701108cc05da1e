import { hash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import { AppError, invalidRequest } from "../../../shared/app-error";
import { MAX_UNDO_LENGTH } from "../place/contract/changes-contract.server";
import { type FilesGrant, senderOf } from "../place/scope-guards.server";

/** how long a change can be undone */
const LIFETIME_SECONDS = 24 * 3600;
/** Keys, versions and ETags in one handle: in base64 they fit into what `restore` accepts, even without any compression. */
const MAX_LIST_BYTES = MAX_UNDO_LENGTH * 0.7;

/** What each kind of handle is signed for. */
const purposes = {
  /** objects to bring back */
  deleted: "files-undo",
  /** objects to remove, or to replace with what was there before */
  created: "files-undo-created",
} as const;
type UndoKind = keyof typeof purposes;

/** One object that a change has deleted or created. */
export interface UndoneObject {
  key: string;
  /** of a deleted object the version of its delete marker, whose removal brings it back; of a created one its ETag */
  versionOrEtag: string;
  /** of a created object: the version that it replaced, which is made the newest again; without it, the object is removed */
  replaced?: string | undefined;
}

/** The objects of one response. */
export class UndoList {
  readonly #objects: UndoneObject[] = [];
  #bytes = 0;

  constructor(readonly kind: UndoKind) {}

  add(object: UndoneObject): void {
    this.#objects.push(object);
    this.#bytes += Buffer.byteLength(JSON.stringify(entryOf(object))) + 1;
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_LIST_BYTES;
  }

  get objects(): readonly UndoneObject[] {
    return this.#objects;
  }
}

const signedSchema = z.object({
  companyId: z.string(),
  /** who has made the change: `senderOf` */
  sender: z.string(),
  bucket: z.string(),
  /** SHA-256 of the list */
  list: z.string(),
  /** unix seconds */
  exp: z.int(),
});
const listSchema = z.array(z.tuple([z.string(), z.string(), z.string().optional()]));

const entryOf = ({ key, versionOrEtag, replaced }: UndoneObject) =>
  replaced === undefined ? [key, versionOrEtag] : [key, versionOrEtag, replaced];

/** Returns `signed~list`: the list is compressed, and the signed value contains its hash. Null if there is nothing to undo. */
export function signUndo(
  { kind, objects }: Pick<UndoList, "kind" | "objects">,
  bucket: string,
  grant: FilesGrant,
  tools: ServiceTools,
): string | null {
  if (objects.length === 0) return null;
  const [secret] = tools.signingSecrets;
  const sorted = objects.map(entryOf).sort();
  const list = deflateRawSync(JSON.stringify(sorted)).toString("base64url");
  const exp = tools.nowSeconds + LIFETIME_SECONDS;
  const { companyId } = grant;
  const signed = { companyId, sender: senderOf(grant), bucket, list: hashOf(list), exp };
  return `${signValue(signed, secret, purposes[kind])}~${list}`;
}

/**
 * @returns `signedAt`: unix seconds
 * @throws AppError `invalid_request` when we did not sign it or it is older than a day; `scope_not_allowed` when it is another
 * company's, API key's or visitor's
 */
export function readUndo(
  undo: string,
  bucket: string,
  grant: FilesGrant,
  tools: ServiceTools,
): Pick<UndoList, "kind" | "objects"> & { signedAt: number } {
  const [signed = "", list = "", ...rest] = undo.split("~");
  const read = (kind: UndoKind) => readSignedValue(signed, tools.signingSecrets, purposes[kind]);
  const deleted = read("deleted");
  const { data } = signedSchema.safeParse(deleted ?? read("created"));
  if (data === undefined || data.bucket !== bucket || data.list !== hashOf(list) || rest.length > 0) {
    throw invalidRequest([{ path: "undo", message: "is not what a change of this bucket returned" }]);
  }
  if (data.companyId !== grant.companyId || data.sender !== senderOf(grant)) {
    throw new AppError("scope_not_allowed", "That change was made by somebody else.");
  }
  if (tools.nowSeconds >= data.exp) {
    throw invalidRequest([{ path: "undo", message: "is older than a day" }]);
  }
  const entries = listSchema.parse(JSON.parse(inflateRawSync(Buffer.from(list, "base64url")).toString()));
  const kind = deleted === null ? "created" : "deleted";
  return {
    kind,
    signedAt: data.exp - LIFETIME_SECONDS,
    objects: entries.map(([key, versionOrEtag, replaced]) => ({ key, versionOrEtag, replaced })),
  };
}

const hashOf = (list: string) => hash("sha256", list, "base64url");
