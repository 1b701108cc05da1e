import type { BucketSettings } from "./bucket";
import { corsElements, parseCorsRules } from "./cors";
import { malformedXml, S3Error } from "./errors";
import { checkNotifications } from "./notifications";
import { type Context, OWNER, type Reply, xmlReply } from "./operation";
import { childrenNamed, parseXml, textOf } from "./xml";

export async function listBuckets({ storage }: Context): Promise<Reply> {
  const Bucket = storage.names().map((name) => ({
    Name: name,
    CreationDate: new Date(storage.get(name).created).toISOString(),
  }));
  return xmlReply("ListAllMyBucketsResult", { Owner: OWNER, Buckets: { Bucket } });
}

export async function createBucket({ request, body, storage, region }: Context): Promise<Reply> {
  if ((request.header("content-length") ?? "0") !== "0") {
    const root = parseXml(await body.readDocument(), "CreateBucketConfiguration");
    const location = textOf(root, "LocationConstraint");
    if (location !== undefined && location !== region) {
      throw new S3Error(
        "IllegalLocationConstraintException",
        `The ${location} location constraint is incompatible for the region specific endpoint this request was sent to.`,
      );
    }
  }
  storage.create(request.bucket);
  return { status: 200, headers: { location: `/${request.bucket}` } };
}

export async function headBucket({ request, storage, region }: Context): Promise<Reply> {
  storage.get(request.bucket);
  return { status: 200, headers: { "x-amz-bucket-region": region } };
}

export async function deleteBucket({ request, storage }: Context): Promise<Reply> {
  storage.remove(request.bucket);
  return { status: 204 };
}

/** Changes a setting to what `read` makes of the request's document. */
async function putSetting(
  { request, body, storage }: Context,
  read: (document: string) => Partial<BucketSettings>,
): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  body.requireDigest();
  bucket.set(read(await body.readDocument()));
  return { status: 200 };
}

async function unset({ request, storage }: Context, settings: Partial<BucketSettings>): Promise<Reply> {
  storage.get(request.bucket).set(settings);
  return { status: 204 };
}

export function putBucketCors(context: Context): Promise<Reply> {
  return putSetting(context, (document) => ({ cors: parseCorsRules(document) }));
}

export async function getBucketCors({ request, storage }: Context): Promise<Reply> {
  const { cors } = storage.get(request.bucket).settings;
  if (cors.length > 0) return xmlReply("CORSConfiguration", corsElements(cors));
  throw new S3Error("NoSuchCORSConfiguration", "The CORS configuration does not exist", {
    BucketName: request.bucket,
  });
}

export function deleteBucketCors(context: Context): Promise<Reply> {
  return unset(context, { cors: [] });
}

export function putBucketLifecycle(context: Context): Promise<Reply> {
  return putSetting(context, (document) => {
    checkLifecycleRules(document);
    return { lifecycleDocument: document };
  });
}

function checkLifecycleRules(document: string): void {
  const rules = childrenNamed(parseXml(document, "LifecycleConfiguration"), "Rule");
  const areComplete = rules.every((rule) => {
    const hasFilter = childrenNamed(rule, "Filter").length > 0;
    const hasPrefix = childrenNamed(rule, "Prefix").length > 0;
    return hasFilter !== hasPrefix && /^(Enabled|Disabled)$/.test(textOf(rule, "Status") ?? "");
  });
  if (rules.length === 0 || !areComplete) throw malformedXml();
  const ids = rules.flatMap((rule) => textOf(rule, "ID") ?? []);
  if (new Set(ids).size < ids.length) {
    throw new S3Error("InvalidArgument", "Rule ID must be unique. Found same ID for more than one rule");
  }
}

export async function getBucketLifecycle({ request, storage }: Context): Promise<Reply> {
  const { lifecycleDocument } = storage.get(request.bucket).settings;
  if (lifecycleDocument) {
    return { status: 200, headers: { "content-type": "application/xml" }, body: lifecycleDocument };
  }
  throw new S3Error("NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist", {
    BucketName: request.bucket,
  });
}

export function deleteBucketLifecycle(context: Context): Promise<Reply> {
  return unset(context, { lifecycleDocument: undefined });
}

/** Unlike other settings, it may come without a digest. */
export async function putBucketNotification({ request, body, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  bucket.set({ notificationDocument: checkNotifications(await body.readDocument()) });
  return { status: 200 };
}

/** Empty if nothing is published. */
export async function getBucketNotification({ request, storage }: Context): Promise<Reply> {
  const { notificationDocument } = storage.get(request.bucket).settings;
  if (notificationDocument === undefined) return xmlReply("NotificationConfiguration", "");
  return { status: 200, headers: { "content-type": "application/xml" }, body: notificationDocument };
}

/** Empty if versioning was never enabled. */
export async function getBucketVersioning({ request, storage }: Context): Promise<Reply> {
  const { versioning } = storage.get(request.bucket).settings;
  return xmlReply("VersioningConfiguration", versioning ? { Status: versioning } : "");
}

export function putBucketVersioning(context: Context): Promise<Reply> {
  return putSetting(context, (document) => {
    const versioning = textOf(parseXml(document, "VersioningConfiguration"), "Status");
    if (versioning === "Enabled" || versioning === "Suspended") return { versioning };
    throw malformedXml();
  });
}

export function putBucketEncryption(context: Context): Promise<Reply> {
  return putSetting(context, (document) => {
    const [rule] = childrenNamed(parseXml(document, "ServerSideEncryptionConfiguration"), "Rule");
    const [byDefault] = rule ? childrenNamed(rule, "ApplyServerSideEncryptionByDefault") : [];
    const encryption = byDefault && textOf(byDefault, "SSEAlgorithm");
    if (encryption === "AES256" || encryption === "aws:kms") return { encryption };
    throw malformedXml();
  });
}
