import { randomUUID } from "node:crypto";
import { ok, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import { causeOf } from "../shared/error-text";
import type { BucketToCheck } from "./context";
import { PREFIX } from "./store-round-trip";

interface UnsignedHeader {
  name: string;
  /** a value that every store refuses, if it obeys the header at all */
  invalid: string;
  /** what visitors could do with it */
  allows: string;
}

const headersFor = (bucket: string): UnsignedHeader[] => [
  {
    name: "x-amz-copy-source",
    invalid: `/${bucket}/${PREFIX}${randomUUID()}`,
    allows: "copy any object that the access key may read",
  },
  { name: "x-amz-acl", invalid: "no-such-acl", allows: "make files public" },
  { name: "x-amz-grant-read", invalid: "no-such-grantee", allows: "give others access to files" },
  { name: "x-amz-tagging", invalid: `${"k".repeat(200)}=v`, allows: "set tags, as a malware scanner does" },
  { name: "x-amz-storage-class", invalid: "NO_SUCH_CLASS", allows: "choose the storage class" },
];

/**
 * Whether an unsigned header changes what a presigned upload does. It sends parts of an upload that does not exist, so nothing is written. A store
 * that obeys a header refuses its invalid value, and does not get as far as the missing upload.
 */
export async function checkUnsignedHeaders(
  { store, bucket }: Pick<BucketToCheck, "store" | "bucket">,
  signal: AbortSignal,
): Promise<Verdict> {
  const upload = { bucket, key: `${PREFIX}${randomUUID()}`, uploadId: randomUUID(), algorithm: null };
  const { url, headers } = await store.presignPart(upload, { number: 1, size: 4 }, 60);
  const send = async (more: Record<string, string>) => {
    const part = { method: "PUT", body: "part", headers: { ...headers, ...more }, signal };
    const response = await fetch(url, part).catch((error: unknown) => {
      throw causeOf(error);
    });
    const code = /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1] ?? "";
    return { status: response.status, code };
  };
  const without = await send({});
  if (without.status === 403 || without.status >= 500) {
    return warning(
      `${bucket}: could not check whether headers that were not signed have an effect (status ${without.status} ${without.code}).`,
      `Grant s3:PutObject on ${bucket}/${PREFIX}* to have it checked, and run this again.`,
    );
  }
  const isObeyed = async ({ name, invalid }: UnsignedHeader) => {
    const { status, code } = await send({ [name]: invalid });
    const isIgnored = status === without.status && code === without.code;
    return status !== 403 && status < 500 && !isIgnored;
  };
  const headersToTry = headersFor(bucket);
  const answers = await Promise.all(headersToTry.map(isObeyed));
  const obeyed = headersToTry.filter((_, index) => answers[index]);
  if (obeyed.length === 0) return ok(`${bucket}: headers that were not signed have no effect.`);
  const abilities = obeyed.map(({ name, allows }) => `${allows} (${name})`);
  return wrong(
    `${bucket}: the store accepts headers that were not signed, so whoever may upload can ${abilities.join(", ")}.`,
    'Put a proxy in front of the store that drops them, as docs/examples/nginx-store.conf does. The guide "Other stores" says how.',
  );
}
