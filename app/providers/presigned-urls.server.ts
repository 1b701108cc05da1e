import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl, S3RequestPresigner } from "@aws-sdk/s3-request-presigner";
import { type Checksum, digestHeaders } from "../../embed-element/shared/checksums";
import type { Env } from "../env/env.server";
import { percentEncode } from "../shared/percent-encode";
import { SharedCalls } from "../shared/shared-calls";
import { credentialsFor, type SigningCredentials, secondsOf } from "./cloud-credentials.server";
import { CredentialsError } from "./connection-errors";
import { createS3Client } from "./s3-client.server";
import type { StoreClock } from "./store-clock.server";
import { toAppError } from "./store-failure.server";

const NO_CREDENTIALS = { accessKey: { accessKeyId: "none", secretAccessKey: "none" }, region: "none" };

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
export function createObjectPresigner(settings: Env["objectStore"], client: S3Client, clock: StoreClock) {
  const credentials = credentialsFor(settings.credentials);
  // The URL of a bucket does not depend on the credentials, so it is known without any.
  const urlClient = createS3Client({ ...settings, credentials: NO_CREDENTIALS });
  let signer: { credentials: SigningCredentials; presigner: S3RequestPresigner } | undefined;
  const bucketUrls = new SharedCalls<string, URL>(true);
  /** one whose URL could be made */
  let someBucket = "_";

  /** @throws AppError `unavailable` when there are no valid credentials */
  async function validCredentials(): Promise<SigningCredentials> {
    return credentials().catch((error: unknown) => {
      throw toAppError(error, {});
    });
  }

  /** Signs with these credentials, even if others have been renewed meanwhile. */
  function presignerWith(credentials: SigningCredentials): S3RequestPresigner {
    if (signer?.credentials !== credentials) {
      const presigner = new S3RequestPresigner({ ...client.config, credentials: async () => credentials });
      signer = { credentials, presigner };
    }
    return signer.presigner;
  }

  /** The URL of `bucket` as the SDK builds it from endpoint, path style and bucket name; computed once for each bucket. */
  async function bucketUrl(bucket: string): Promise<URL> {
    const url = await bucketUrls.get(bucket, async () => {
      const anyObject = new GetObjectCommand({ Bucket: bucket, Key: "_" });
      return new URL(".", await getSignedUrl(urlClient, anyObject, { expiresIn: 1 }));
    });
    someBucket = bucket;
    return url;
  }

  /**
   * Whole seconds for which a URL that is signed now can live: until the end of the credentials; Infinity if they have none.
   * @throws AppError `unavailable`
   */
  async function maxPresignedSeconds(): Promise<number> {
    await clock.ready();
    return secondsLeft(await validCredentials());
  }

  /** By the store's clock. @throws AppError `unavailable` */
  function secondsLeft(credentials: SigningCredentials): number {
    const seconds = Math.floor(secondsOf(credentials) - clock.offsetMs / 1000);
    if (seconds >= 1) return seconds;
    throw toAppError(new CredentialsError("they end in less than a second"), {});
  }

  /**
   * Signs a request for one object, by the store's clock. All headers are part of the signature. The URL ends with the credentials at the
   * latest.
   * @throws AppError `unavailable`
   */
  async function presign(
    method: "PUT" | "GET",
    { bucket, key, expiresInSeconds }: PresignedObject,
    { headers = {}, query = {} }: { headers?: Record<string, string>; query?: Record<string, string> },
  ): Promise<string> {
    const url = await bucketUrl(bucket);
    await clock.ready();
    const signedWith = await validCredentials();
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const signed = await presignerWith(signedWith).presign(
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
        expiresIn: Math.min(expiresInSeconds, secondsLeft(signedWith)),
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
    maxPresignedSeconds,

    /** The URL of any bucket: of one that has been used, if there is one. */
    anyBucketUrl: (): Promise<URL> => bucketUrl(someBucket),

    /**
     * A URL that a browser can PUT one object to, with the headers to send. Everything given is part of the signature.
     * @param input `size`: bytes; `ifNoneMatch`: refuse to overwrite, by `If-None-Match: *`; `checksum`, and `contentMd5`
     * (base64): the store refuses other content; `uploadMark`: see `ObjectDescription`; `isMarkInUrl`: the client needs no header for it.
     * Amazon S3 takes metadata from the query of a signed URL as well.
     */
    async presignPut({
      contentType,
      size,
      ifNoneMatch,
      checksum,
      contentMd5,
      uploadMark,
      isMarkInUrl = false,
      ...object
    }: PresignedObject & {
      contentType: string;
      size: number | undefined;
      ifNoneMatch: boolean;
      checksum?: Checksum | undefined;
      contentMd5?: string | undefined;
      uploadMark?: string;
      isMarkInUrl?: boolean;
    }) {
      const mark: Record<string, string> = uploadMark ? { [`x-amz-meta-${UPLOAD_MARK}`]: uploadMark } : {};
      const headers: Record<string, string> = {
        "Content-Type": contentType,
        ...digestHeaders({ checksum, contentMd5 }),
        ...(isMarkInUrl ? {} : mark),
      };
      if (ifNoneMatch) headers["If-None-Match"] = "*";
      const signed = { ...headers };
      // Browsers set Content-Length themselves and do not let scripts do it.
      if (size !== undefined) signed["Content-Length"] = String(size);
      const query = isMarkInUrl ? mark : {};
      return { url: await presign("PUT", object, { headers: signed, query }), headers };
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
