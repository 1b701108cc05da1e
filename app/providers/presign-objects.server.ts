import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl, S3RequestPresigner } from "@aws-sdk/s3-request-presigner";
import { percentEncode } from "../percent-encode";
import type { StoreClock } from "./store-clock.server";

export interface PresignedObject {
  bucket: string;
  key: string;
  expiresInSeconds: number;
}

/** Signs URLs for single objects, much faster than the SDK's middleware does. docs/decisions/0004-presign-without-the-middleware.md */
export function createObjectPresigner(client: S3Client, clock: StoreClock) {
  const presigner = new S3RequestPresigner(client.config);
  const addresses = new Map<string, Promise<URL>>();

  /**
   * The address of `bucket` as the SDK has it: endpoint, path style and odd bucket names each change it. It never changes for
   * one bucket, and asking is most of the cost of presigning, so it is asked once.
   */
  function addressOf(bucket: string): Promise<URL> {
    let address = addresses.get(bucket);
    if (address === undefined) {
      const anyObject = new GetObjectCommand({ Bucket: bucket, Key: "_" });
      address = getSignedUrl(client, anyObject, { expiresIn: 1 }).then((url) => new URL(".", url));
      addresses.set(bucket, address);
      address.catch(() => addresses.delete(bucket));
    }
    return address;
  }

  /** Signs a request for one object, by the store's clock; every header given is part of the signature. */
  async function presign(
    method: "PUT" | "GET",
    { bucket, key, expiresInSeconds }: PresignedObject,
    { headers = {}, query = {} }: { headers?: Record<string, string>; query?: Record<string, string> },
  ): Promise<string> {
    const address = await addressOf(bucket);
    await clock.ready();
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const signed = await presigner.presign(
      {
        method,
        protocol: address.protocol,
        hostname: address.hostname,
        ...(address.port === "" ? {} : { port: Number(address.port) }),
        path: address.pathname + key.split("/").map(percentEncode).join("/"),
        query,
        headers: { host: address.host, ...headers },
      },
      {
        expiresIn: expiresInSeconds,
        signingDate: new Date(Date.now() + clock.offsetMs),
        // Left to itself the presigner signs no content headers, and would move the condition into the query.
        signableHeaders: new Set(["host", ...names]),
        unhoistableHeaders: new Set(names),
      },
    );
    const parameters = Object.entries(signed.query ?? {}).map(
      ([name, value]) => `${percentEncode(name)}=${percentEncode(String(value))}`,
    );
    return `${address.origin}${signed.path}?${parameters.join("&")}`;
  }

  return { addressOf, presign };
}
