import { AppError } from "../../../app-error";
import type { ServiceTools } from "../../../embed/service";
import type { ObjectContent, ObjectDescription } from "../../../providers/object-changes.server";
import { byteLength, MAX_PATH_BYTES } from "../folder-path";
import type { FailureCode } from "./changes-contract.server";
import { isCopyOf } from "./recognize-copy.server";
import { isFaithful, isSameContent, isYounger } from "./same-content";

/** One object that is to be in another place. */
export interface Transfer {
  bucket: string;
  key: string;
  /** the key it is to have */
  to: string;
  /** delete it where it was */
  isMove: boolean;
  overwrite: boolean;
  /** bytes; what is larger is copied by parts */
  wholeBytes: number;
}

/** `absent`: there is nothing to do any more, an earlier attempt has done it. `large`: it has to be copied by parts. */
export type Outcome = "done" | "absent" | "large" | FailureCode;

type StoreTools = Pick<ServiceTools, "objectStore" | "request">;

/** seconds in which a move that has copied an object deletes it where it was, or never: a request lives no longer */
const HALF_MOVED = 120;
/** How often an object is tried that changes meanwhile. */
const ATTEMPTS = 3;

/**
 * Copies one object, compares, and for a move deletes it where it was. Killed anywhere, it is in at least one of the two places, and the same
 * call finishes.
 * @param source as it was listed; undefined when it was not
 * @throws AppError those of the store that are not about this object
 */
export async function transferObject(
  transfer: Transfer,
  source: ObjectContent | undefined,
  tools: StoreTools,
): Promise<Outcome> {
  const { bucket, key, to } = transfer;
  if (key === to) return "absent";
  if (byteLength(to) > MAX_PATH_BYTES) return "name_too_long";
  const look = (at: string) => tools.objectStore.describeObject({ bucket, key: at }, tools.request);
  let current = source;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    current ??= (await look(key)) ?? undefined;
    if (current === undefined) return missing(transfer, look);
    const copied = await copyOnce(transfer, current, look, tools);
    if (copied === "done") return transfer.isMove ? removeSource(transfer, current, tools) : "done";
    if (copied !== "again") return copied;
    current = undefined;
  }
  return "upload_conflict";
}

type Look = (key: string) => Promise<ObjectDescription | null>;

/** A move whose source is gone has most likely been made already. */
async function missing({ to, isMove }: Transfer, look: Look): Promise<Outcome> {
  return isMove && (await look(to)) !== null ? "absent" : "not_found";
}

/**
 * `again`: the object has changed, or gone, since it was looked at.
 *
 * Two moves at once, there and back, must not each take the other's object for its own copy, and then both delete: what has only just been
 * made, of the same bytes as what it would replace and the younger of the two, is what another move is about to finish.
 */
async function copyOnce(
  transfer: Transfer,
  source: ObjectContent,
  look: Look,
  { objectStore, request }: StoreTools,
): Promise<"done" | "again" | "large" | "name_taken" | "upload_conflict"> {
  const { bucket, key, to, isMove, overwrite, wholeBytes } = transfer;
  const isRecent = source.modified > objectStore.storeSeconds() - HALF_MOVED;
  // Some stores ignore If-None-Match, and would overwrite what is there.
  const there = overwrite && !(isMove && isRecent) ? null : await look(to);
  if (there !== null && !overwrite) return judge(there);
  if (there !== null && isSameContent(source, there) && !isYounger(there, source)) return "upload_conflict";
  if (source.size > wholeBytes) return "large";
  try {
    const { etag } = await objectStore.copyObject({ bucket, key, to, overwrite, ...source }, request);
    if (etag === source.etag) return "done";
  } catch (error) {
    if (!(error instanceof AppError) || !mayHaveChanged(error)) throw error;
    // Either something is there meanwhile, or the source is no longer what was listed.
    const meanwhile = overwrite ? null : await look(to);
    return meanwhile === null ? "again" : judge(meanwhile);
  }
  // A copy of an upload in parts has another ETag.
  const [copy, original] = await Promise.all([look(to), look(key)]);
  return copy !== null && original?.etag === source.etag && isFaithful(copy, original) ? "done" : "again";

  async function judge(found: ObjectDescription): Promise<"done" | "name_taken"> {
    return (await isCopyOf(source, found, transfer, { objectStore, request })) ? "done" : "name_taken";
  }
}

const mayHaveChanged = ({ code }: AppError) =>
  code === "name_taken" || code === "upload_conflict" || code === "not_found";

/** Deletes the source of a move, unless another has taken its place since it was copied. */
export async function removeSource(
  { bucket, key }: Pick<Transfer, "bucket" | "key">,
  { etag }: Pick<ObjectContent, "etag">,
  { objectStore, request }: StoreTools,
): Promise<"done" | "upload_conflict"> {
  try {
    await objectStore.removeObject({ bucket, key, etag }, request);
    return "done";
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return "done";
    if (error instanceof AppError && error.code === "name_taken") return "upload_conflict";
    throw error;
  }
}
