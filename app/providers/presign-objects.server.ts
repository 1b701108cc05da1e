import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl, S3RequestPresigner } from "@aws-sdk/s3-request-presigner";
import { type Checksum, digestHeaders } from "../shared/checksums";
import { percentEncode } from "../shared/percent-encode";
import type { StoreClock } from "./store-clock.server";

/** The name of the metadata that tells which upload an object came from. */
export const UPLOAD_MARK = "platform-embed-upload";

interface PresignedObject {
  bucket: string;
  key: string;
  expiresInSeconds: number;
}

/**
 * Signs URLs for single objects by the SDK's signer, without the middleware of its commands, which takes most of the time of
 * `getSignedUrl`. app/providers/README.md
 */
export function createObjectPresigner(client: S3Client, clock: StoreClock) {
  const presigner = new S3RequestPresigner(client.config);
  const bucketUrls = new Map<string, Promise<URL>>();

  /** The URL of `bucket` as the SDK builds it from endpoint, path style and bucket name; computed once for each bucket. */
  function bucketUrl(bucket: string): Promise<URL> {
    let url = bucketUrls.get(bucket);
    if (url === undefined) {
      const anyObject = new GetObjectCommand({ Bucket: bucket, Key: "_" });
      url = getSignedUrl(client, anyObject, { expiresIn: 1 }).then((signed) => new URL(".", signed));
      bucketUrls.set(bucket, url);
      url.catch(() => bucketUrls.delete(bucket));
    }
    return url;
  }

  /** Signs a request for one object, by the store's clock. All headers are part of the signature. */
  async function presign(
    method: "PUT" | "GET",
    { bucket, key, expiresInSeconds }: PresignedObject,
    { headers = {}, query = {} }: { headers?: Record<string, string>; query?: Record<string, string> },
  ): Promise<string> {
    const url = await bucketUrl(bucket);
    await clock.ready();
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const signed = await presigner.presign(
      {
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        ...(url.port === "" ? {} : { port: Number(url.port) }),
        path: url.pathname + key.split("/").map(percentEncode).join("/"),
        query,
        headers: { host: url.host, ...headers },
      },
      {
        expiresIn: expiresInSeconds,
        signingDate: new Date(Date.now() + clock.offsetMs),
        // By default the presigner signs no content headers, and moves conditions into the query.
        signableHeaders: new Set(["host", ...names]),
        unhoistableHeaders: new Set(names),
      },
    );
    const parameters = Object.entries(signed.query ?? {}).map(
      ([name, value]) => `${percentEncode(name)}=${percentEncode(String(value))}`,
    );
    return `${url.origin}${signed.path}?${parameters.join("&")}`;
  }

  return {
    bucketUrl,
    presign,

    /** The URL of any bucket: of one that has been used, if there is one. */
    anyBucketUrl: (): Promise<URL> => bucketUrls.values().next().value ?? bucketUrl("_"),

    /**
     * A URL that a browser can PUT one object to, with the headers to send. Everything given is part of the signature.
     * @param input `size`: bytes; `ifNoneMatch`: refuse to overwrite, by `If-None-Match: *`; `checksum`, and `contentMd5`
     * (base64): the store refuses other content; `uploadMark`: see `ObjectDescription`
     */
    async presignPut({
      contentType,
      size,
      ifNoneMatch,
      checksum,
      contentMd5,
      uploadMark,
      ...object
    }: PresignedObject & {
      contentType: string;
      size: number | undefined;
      ifNoneMatch: boolean;
      checksum?: Checksum | undefined;
      contentMd5?: string | undefined;
      uploadMark?: string;
    }) {
      const headers: Record<string, string> = {
        "Content-Type": contentType,
        ...digestHeaders({ checksum, contentMd5 }),
        ...(uploadMark && { [`x-amz-meta-${UPLOAD_MARK}`]: uploadMark }),
      };
      if (ifNoneMatch) headers["If-None-Match"] = "*";
      const signed = { ...headers };
      // Browsers set Content-Length themselves and do not let scripts do it.
      if (size !== undefined) signed["Content-Length"] = String(size);
      return { url: await presign("PUT", object, { headers: signed }), headers };
    },

    /** A URL that a browser can GET one object from, or a version of it, with these headers in the response. */
    presignGet({
      versionId,
      contentDisposition,
      contentType,
      contentEncoding,
      ...object
    }: PresignedObject & {
      versionId?: string | undefined;
      contentDisposition: string;
      contentType: string;
      contentEncoding?: string | undefined;
    }): Promise<string> {
      return presign("GET", object, {
        query: {
          ...(versionId !== undefined && { versionId }),
          "response-content-disposition": contentDisposition,
          "response-content-type": contentType,
          ...(contentEncoding && { "response-content-encoding": contentEncoding }),
        },
      });
    },

    /** The origin of the URLs of `bucket`, for a Content-Security-Policy. */
    async originOf(bucket: string): Promise<string> {
      return (await bucketUrl(bucket)).origin;
    },
  };
}
