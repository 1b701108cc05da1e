import { ListObjectsV2Command, type S3Client } from "@aws-sdk/client-s3";
import { type CallContext, timeLeft } from "../request-context.server";
import type { CallStore } from "./s3-client.server";

/** A page of keys, in the store's order. */
export interface KeyPage {
  keys: readonly string[];
  /** there are more after them */
  isTruncated: boolean;
  objectAt(index: number): { size: number; lastModified: Date; etag: string };
}

const NOTHING = Buffer.from("<ListBucketResult/>");

/**
 * Listing for those who look through very many keys, without folders. The SDK makes objects of all that a page says, which takes 14 ms of
 * processor time for a thousand keys; reading the keys alone takes 0.1 ms, and the rest is read of those that are wanted.
 */
export function createKeyListing(client: S3Client, call: CallStore) {
  async function listOnce(
    what: { bucket: string; prefix: string; after: string; token: string | undefined },
    options: { abortSignal: AbortSignal },
  ) {
    const command = new ListObjectsV2Command({
      Bucket: what.bucket,
      Prefix: what.prefix,
      StartAfter: what.after || undefined,
      ContinuationToken: what.token,
      EncodingType: "url",
    });
    let xml = "";
    command.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const response = result.response as {
          statusCode: number;
          body: AsyncIterable<Uint8Array> | Uint8Array;
        };
        if (response.statusCode !== 200) return result;
        const chunks: Uint8Array[] = [];
        for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
        xml = Buffer.concat(chunks).toString();
        response.body = NOTHING;
        return result;
      },
      { name: "takeBody", step: "deserialize", priority: "low" },
    );
    await client.send(command, options);
    return xml;
  }

  return {
    /**
     * A thousand keys at most that begin with `prefix` and come after `after`, empty for the first ones.
     * @param input `limitMs`: how long the store may take, milliseconds; `signal`: they are not wanted any more
     * @throws AppError `bucket_not_found`, `provider_failed`, `unavailable`
     */
    async listKeys(
      {
        limitMs,
        signal,
        ...what
      }: { bucket: string; prefix: string; after: string; limitMs: number; signal: AbortSignal },
      request?: CallContext,
    ): Promise<KeyPage> {
      const about = { bucket: what.bucket, permission: "s3:ListBucket" };
      return call("list_keys", about, timeLeft(limitMs, request), async ({ abortSignal }) => {
        const options = { abortSignal: AbortSignal.any([abortSignal, signal]) };
        let page = readKeyPage(await listOnce({ ...what, token: undefined }, options));
        // A store may look through deleted objects for so long that it finds none for a page.
        while (page.keys.length === 0 && page.next !== undefined) {
          page = readKeyPage(await listOnce({ ...what, token: page.next }, options));
        }
        return page;
      });
    },
  };
}

/** Reads a ListBucketResult. Amazon S3 API Reference, ListObjectsV2. */
export function readKeyPage(xml: string): KeyPage & { next: string | undefined } {
  const starts: number[] = [];
  for (let at = xml.indexOf("<Contents>"); at !== -1; at = xml.indexOf("<Contents>", at + 1)) starts.push(at);
  const decode = textIn(xml, "EncodingType") === "url" ? decodeUrl : (text: string) => text;
  return {
    keys: starts.map((at) => decode(textIn(xml, "Key", at) ?? "")),
    isTruncated: textIn(xml, "IsTruncated") === "true",
    next: textIn(xml, "NextContinuationToken"),
    objectAt(index) {
      const entry = xml.slice(starts[index] ?? 0, starts[index + 1]);
      return {
        size: Number(textIn(entry, "Size") ?? 0),
        lastModified: new Date(textIn(entry, "LastModified") ?? 0),
        etag: textIn(entry, "ETag") ?? "",
      };
    },
  };
}

/** The text of the next element of that name from a position on. */
function textIn(xml: string, name: string, from = 0): string | undefined {
  const start = xml.indexOf(`<${name}>`, from);
  if (start === -1) return undefined;
  const begin = start + name.length + 2;
  return unescapeXml(xml.slice(begin, xml.indexOf("<", begin)));
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}

/** As in a form: a space is `+`. Only characters that XML cannot hold have to be written so, and most keys have none. */
export function decodeUrl(text: string): string {
  if (!/[%+]/.test(text)) return text;
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    // Bytes that are no UTF-8: one such key must not keep all others from being found.
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
      return Buffer.from(bytes.replaceAll("%", ""), "hex").toString();
    });
  }
}
