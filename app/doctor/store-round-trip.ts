import { randomUUID } from "node:crypto";
import { type Limits, ok, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import type { ObjectStore } from "../providers/object-store.server";
import {
  type ConditionalWrite,
  conditionalWrites,
  type StoreProbe,
} from "../providers/object-store-checks.server";
import { explainStoreFailure } from "../providers/store-failure.server";
import { causeOf } from "../shared/error-text";

/** The doctor's own objects are here, and nothing else: a permission for it exposes nothing. */
export const PREFIX = ".platform-embed-doctor/";

interface RoundTrip {
  probe: StoreProbe;
  store: ObjectStore;
  bucket: string;
  signal: AbortSignal;
  limits: Limits;
  /** visitors may move or delete what is in the bucket */
  isChanged: boolean;
}

/**
 * Writes an object and reads it back, by signed requests and by presigned URL, as the service and browsers do. It always
 * removes the object; if that is not permitted, it writes none. Removing has time of its own, so this may end after `signal`
 * aborts.
 */
export async function tryRoundTrip({
  probe,
  store,
  bucket,
  signal,
  limits,
  isChanged,
}: RoundTrip): Promise<Verdict[]> {
  const object = { bucket, key: `${PREFIX}${randomUUID()}` };
  /** versions to remove; undefined is the object itself, for a bucket without versions, or when the version is not known */
  const made = new Set<string | undefined>([undefined]);
  try {
    // Removing an object that does not exist tells whether removing is permitted. With versioning it makes a delete marker.
    made.add(await probe.remove(object, signal));
  } catch (error) {
    const failure = explainStoreFailure(error, { bucket });
    if (failure.kind !== "access_denied") return [wrong(`${bucket}: ${failure.message}`, failure.remedy)];
    if (isChanged) {
      const message = `${bucket}: the access key may not delete (AccessDenied), so moving and deleting fail.`;
      return [wrong(message, `Grant s3:DeleteObject on the bucket ${bucket}.`)];
    }
    return [
      warning(
        `${bucket}: writing and reading was not tried, because the access key may not remove the object afterwards.`,
        `Grant s3:DeleteObject on ${bucket}/${PREFIX}* to have it tried.`,
      ),
    ];
  }

  let step = "writing an object";
  let permission = "s3:PutObject";
  const begin = (name: string, needs: string) => {
    step = name;
    permission = needs;
  };
  let finding: Verdict;
  let conditions: Verdict[] = [];
  try {
    made.add(await probe.put(object, "signed", signal));
    begin("reading by presigned URL", "s3:GetObject");
    const response = {
      contentDisposition: "attachment",
      contentType: "application/octet-stream",
      expiresInSeconds: 60,
    };
    const first = await request(await store.presignGet({ ...object, ...response }), { signal });
    begin("writing by presigned URL", "s3:PutObject");
    const { url, headers } = await store.presignPut({
      ...object,
      contentType: "text/plain",
      size: undefined,
      ifNoneMatch: false,
      expiresInSeconds: 60,
    });
    made.add((await request(url, { method: "PUT", body: "presigned", headers, signal })).version);
    begin("reading an object", "s3:GetObject");
    const second = await probe.get(object, signal);
    finding =
      first.text === "signed" && second === "presigned"
        ? ok(`${bucket}: an object was written, read and removed, also by presigned URL.`)
        : wrong(
            `${bucket}: what was read is not what was written.`,
            "Look for a cache or a proxy between here and the store.",
          );
    begin("writing with a condition", "s3:PutObject");
    if (!store.enforcesConditions) conditions = await tryConditions(probe, object, made, signal);
  } catch (error) {
    const failure = explainStoreFailure(error, { bucket, permission });
    finding = wrong(`${bucket}: ${step} failed. ${failure.message}`, failure.remedy);
  }
  // With versioning, removing the object itself would only add a delete marker.
  if (finding.status === "ok" && made.size > 1) made.delete(undefined);
  const left = await removeAll(probe, object, made, limits.checkMs);
  return [finding, ...conditions, ...(left === undefined ? [] : [left])];
}

/** @param versions of objects that were made, as the store named them; without versioning, or while it is suspended, none or "null" */
function remedyFor(versions: ReadonlySet<string | undefined>): string {
  return [...versions].some((version) => version !== undefined && version !== "null")
    ? "Update the store. Until then, what is overwritten can be restored: the bucket keeps versions."
    : "Update the store, or switch versioning on, so that what is overwritten can be restored.";
}

/** The consequence if the store ignores the condition of a write, or rejects it. */
const notKept: Record<ConditionalWrite, string> = {
  put:
    "the store ignores If-None-Match on uploads. The service checks the name before it signs an upload, but if two people upload the same name at " +
    "the same time, the later file replaces the other.",
  copy:
    "the store ignores If-None-Match on copies. The service checks before and after each copy, but if two people give the same name to two files at " +
    "the same time, one of them may be lost.",
  delete:
    "the store ignores If-Match on deletions. The service checks before each deletion, but a change made while a file is being moved may be lost.",
};

const kept: Record<ConditionalWrite, string> = {
  put: "the store refuses uploads that would overwrite, if they may not.",
  copy: "the store refuses copies that would overwrite, if they may not.",
  delete: "the store refuses to delete what has been changed meanwhile.",
};

/** Whether the store keeps the conditions of writes. The last of them may remove the object. */
async function tryConditions(
  probe: StoreProbe,
  object: { bucket: string; key: string },
  made: Set<string | undefined>,
  signal: AbortSignal,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const write of conditionalWrites) {
    const { isKept, version } = await probe.keepsCondition(write, object, signal);
    if (version !== undefined) made.add(version);
    const message = `${object.bucket}: ${(isKept ? kept : notKept)[write]}`;
    verdicts.push(isKept ? ok(message) : warning(message, remedyFor(made)));
  }
  return verdicts;
}

async function removeAll(
  probe: StoreProbe,
  object: { bucket: string; key: string },
  versions: Iterable<string | undefined>,
  limitMs: number,
): Promise<Verdict | undefined> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    for (const version of versions) await probe.remove({ ...object, version }, signal);
    return undefined;
  } catch (error) {
    const { message } = explainStoreFailure(error, { bucket: object.bucket });
    return wrong(
      `${object.bucket}: the doctor's own object could not be removed. ${message}`,
      `Remove ${object.key} from ${object.bucket} by hand; in a bucket with versioning that needs s3:DeleteObjectVersion.`,
    );
  }
}

async function request(
  url: string,
  init: RequestInit,
): Promise<{ text: string; version: string | undefined }> {
  const response = await fetch(url, init).catch((error: unknown) => {
    throw causeOf(error);
  });
  const text = await response.text();
  if (!response.ok) {
    const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? "";
    // S3 has no code for a URL that has expired, or is not valid yet, by its clock.
    const name = /expired|not yet valid/i.test(text) ? "RequestTimeTooSkewed" : code;
    throw Object.assign(new Error(), { name, $metadata: { httpStatusCode: response.status } });
  }
  return { text, version: response.headers.get("x-amz-version-id") ?? undefined };
}
