import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { AppError } from "../app-error";
import type { Env } from "../env.server";

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

  return {
    async presignPut({ bucket, key, contentType, size, ifNoneMatch, expiresInSeconds }) {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        ContentType: contentType,
        ContentLength: size,
        IfNoneMatch: ifNoneMatch ? "*" : undefined,
      });
      const url = await getSignedUrl(client, command, {
        expiresIn: expiresInSeconds,
        // Left to itself the presigner signs none of these three.
        signableHeaders: new Set(["host", "content-type", "content-length", "if-none-match"]),
        unhoistableHeaders: new Set(["if-none-match"]),
      });
      return {
        url,
        headers: { "Content-Type": contentType, ...(ifNoneMatch ? { "If-None-Match": "*" } : {}) },
      };
    },

    presignGet({ bucket, key, contentDisposition, expiresInSeconds }) {
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        ResponseContentDisposition: contentDisposition,
      });
      return getSignedUrl(client, command, { expiresIn: expiresInSeconds });
    },

    async originOf(bucket) {
      // Asked of the SDK itself: endpoint, path style and odd bucket names each change the host.
      const anyObject = new GetObjectCommand({ Bucket: bucket, Key: "_" });
      return new URL(await getSignedUrl(client, anyObject, { expiresIn: 1 })).origin;
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
