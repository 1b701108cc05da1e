import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { getSignedUrl, S3RequestPresigner } from "@aws-sdk/s3-request-presigner";
import { AppError } from "../app-error";
import type { Env } from "../env.server";
import { percentEncode } from "../percent-encode";

export interface CorsRule {
  allowedMethods: string[];
  allowedHeaders: string[];
  allowedOrigins: string[];
  exposeHeaders: string[];
  maxAgeSeconds: number;
}

export interface ObjectStore {
  /**
   * A URL that a browser can PUT one object to. What is given is part of the signature, and comes back as `headers`, to be
   * sent as they stand.
   */
  presignPut(input: {
    bucket: string;
    key: string;
    contentType: string;
    /** bytes */
    size: number | undefined;
    /** refuse to overwrite, by `If-None-Match: *` */
    ifNoneMatch: boolean;
    expiresInSeconds: number;
  }): Promise<{ url: string; headers: Record<string, string> }>;
  /** A URL that a browser can GET one object from, answered with the given `Content-Disposition`. */
  presignGet(input: {
    bucket: string;
    key: string;
    contentDisposition: string;
    expiresInSeconds: number;
  }): Promise<string>;
  /** The origin that a browser meets when it uses `presignPut` or `presignGet` for `bucket`. */
  originOf(bucket: string): Promise<string>;
  /**
   * One page of what lies under `prefix`, up to the next `/`.
   * @throws AppError `bucket_not_found`, `invalid_request` (a cursor that is not ours), `provider_failed`, `unavailable`
   */
  list(input: { bucket: string; prefix: string; cursor: string | undefined; pageSize: number }): Promise<{
    prefixes: string[];
    objects: { key: string; size: number; lastModified: Date; etag: string }[];
    nextCursor: string | null;
  }>;
  /** Replaces a bucket's CORS rules. @throws AppError as `list` */
  putCorsRules(bucket: string, rules: readonly CorsRule[]): Promise<void>;
}

export function createObjectStore(settings: Env["objectStore"]): ObjectStore {
  const client = new S3Client({
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    endpoint: settings.endpoint,
    forcePathStyle: settings.forcePathStyle,
    // The SDK's default signs the checksum of an empty body into a presigned PUT.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: settings.timeoutSeconds * 1000,
      throwOnRequestTimeout: true,
    },
  });

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

  /** Signs a request for one object; every header given is part of the signature. */
  async function presign(
    method: "PUT" | "GET",
    { bucket, key, expiresInSeconds }: { bucket: string; key: string; expiresInSeconds: number },
    { headers = {}, query = {} }: { headers?: Record<string, string>; query?: Record<string, string> },
  ): Promise<string> {
    const address = await addressOf(bucket);
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

  return {
    async presignPut({ contentType, size, ifNoneMatch, ...object }) {
      const headers: Record<string, string> = { "Content-Type": contentType };
      if (ifNoneMatch) headers["If-None-Match"] = "*";
      const signed = { ...headers };
      // A browser sets Content-Length itself and lets no script do it, so it is signed but not among the answer's headers.
      if (size !== undefined) signed["Content-Length"] = String(size);
      return { url: await presign("PUT", object, { headers: signed }), headers };
    },

    presignGet({ contentDisposition, ...object }) {
      return presign("GET", object, { query: { "response-content-disposition": contentDisposition } });
    },

    async originOf(bucket) {
      return (await addressOf(bucket)).origin;
    },

    async list({ bucket, prefix, cursor, pageSize }) {
      const answer = await client
        .send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: prefix,
            Delimiter: "/",
            MaxKeys: pageSize,
            ContinuationToken: cursor,
          }),
        )
        .catch((error: unknown) => {
          throw toAppError(error, cursor !== undefined);
        });
      return {
        prefixes: (answer.CommonPrefixes ?? []).flatMap((common) => common.Prefix ?? []),
        objects: (answer.Contents ?? []).flatMap((object) =>
          object.Key === undefined
            ? []
            : {
                key: object.Key,
                size: object.Size ?? 0,
                lastModified: object.LastModified ?? new Date(0),
                etag: object.ETag ?? "",
              },
        ),
        nextCursor: answer.NextContinuationToken ?? null,
      };
    },

    async putCorsRules(bucket, rules) {
      const command = new PutBucketCorsCommand({
        Bucket: bucket,
        CORSConfiguration: {
          CORSRules: rules.map((rule) => ({
            AllowedMethods: rule.allowedMethods,
            AllowedHeaders: rule.allowedHeaders,
            AllowedOrigins: rule.allowedOrigins,
            ExposeHeaders: rule.exposeHeaders,
            MaxAgeSeconds: rule.maxAgeSeconds,
          })),
        },
      });
      await client.send(command).catch((error: unknown) => {
        throw toAppError(error);
      });
    },
  };
}

const overloaded = new Set(["SlowDown", "ServiceUnavailable", "ThrottlingException", "RequestLimitExceeded"]);

/** What the caller is told of a failure of the store: never its own message, which may name what is not theirs. */
function toAppError(error: unknown, withCursor = false): AppError {
  const details = {
    cause: error,
    logDetail: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  };
  if (!(error instanceof S3ServiceException)) {
    return new AppError("unavailable", "The object store cannot be reached. Try again in a moment.", {
      ...details,
      retryAfterSeconds: 5,
    });
  }
  if (overloaded.has(error.name) || error.$metadata.httpStatusCode === 503) {
    return new AppError("unavailable", "The object store asks for a pause. Try again in a moment.", {
      ...details,
      retryAfterSeconds: 5,
    });
  }
  if (error.$metadata.httpStatusCode === 501) {
    const message =
      "The object store does not offer this by its S3 interface; look for it in its own settings.";
    return new AppError("provider_failed", message, details);
  }
  if (error.name === "NoSuchBucket") {
    return new AppError("bucket_not_found", "The bucket does not exist in the object store.", details);
  }
  if (withCursor && error.name === "InvalidArgument") {
    const message = "is not a cursor of this listing; start again without one";
    return new AppError("invalid_request", "The request does not fit.", {
      ...details,
      issues: [{ path: "cursor", message }],
    });
  }
  return new AppError("provider_failed", "The object store refused the request.", details);
}
