import type { Context } from "./context";
import { corsDocument, parseCorsRules } from "./cors";
import { S3Error } from "./errors";
import { parseLifecycleRules } from "./lifecycle";
import { type Reply, xmlReply } from "./reply";
import { malformed, parseXml, xmlDocument } from "./xml";

export async function getBucketLocation({ request, storage, region }: Context): Promise<Reply> {
  storage.get(request.bucket);
  // The first region is the one without a name.
  return xmlReply(xmlDocument("LocationConstraint", region === "us-east-1" ? "" : region));
}

/** There are no versions: an empty configuration says that they were never switched on. */
export async function getBucketVersioning({ request, storage }: Context): Promise<Reply> {
  storage.get(request.bucket);
  return xmlReply(xmlDocument("VersioningConfiguration", ""));
}

export async function putBucketCors({ request, body, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  body.requireDigest();
  bucket.set({ cors: parseCorsRules(await body.readDocument()) });
  return { status: 200 };
}

export async function getBucketCors({ request, storage }: Context): Promise<Reply> {
  const { settings, name } = storage.get(request.bucket);
  if (settings.cors.length === 0) {
    throw new S3Error("NoSuchCORSConfiguration", "The CORS configuration does not exist", {
      BucketName: name,
    });
  }
  return xmlReply(corsDocument(settings.cors));
}

export async function deleteBucketCors({ request, storage }: Context): Promise<Reply> {
  storage.get(request.bucket).set({ cors: [] });
  return { status: 204 };
}

/** Rules are kept and given back, and never carried out. */
export async function putBucketLifecycle({ request, body, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  body.requireDigest();
  bucket.set({ lifecycle: parseLifecycleRules(await body.readDocument()) });
  return { status: 200 };
}

export async function getBucketLifecycle({ request, storage }: Context): Promise<Reply> {
  const { settings, name } = storage.get(request.bucket);
  if (settings.lifecycle) {
    return xmlReply(xmlDocument("LifecycleConfiguration", { Rule: settings.lifecycle }));
  }
  throw new S3Error("NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist", {
    BucketName: name,
  });
}

export async function deleteBucketLifecycle({ request, storage }: Context): Promise<Reply> {
  storage.get(request.bucket).set({ lifecycle: undefined });
  return { status: 204 };
}

const PUBLIC_ACCESS = ["BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"];

/** Kept and given back: nothing here is ever public. */
export async function putPublicAccessBlock({ request, body, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  body.requireDigest();
  const root = parseXml(await body.readDocument());
  const publicAccessBlock = Object.fromEntries(PUBLIC_ACCESS.map((name) => [name, false]));
  for (const { name, text } of root.children) {
    if (!PUBLIC_ACCESS.includes(name) || !/^(true|false)$/i.test(text)) throw malformed();
    publicAccessBlock[name] = text.toLowerCase() === "true";
  }
  if (root.name !== "PublicAccessBlockConfiguration") throw malformed();
  bucket.set({ publicAccessBlock });
  return { status: 200 };
}

export async function getPublicAccessBlock({ request, storage }: Context): Promise<Reply> {
  const { settings, name } = storage.get(request.bucket);
  if (settings.publicAccessBlock) {
    return xmlReply(xmlDocument("PublicAccessBlockConfiguration", settings.publicAccessBlock));
  }
  throw new S3Error(
    "NoSuchPublicAccessBlockConfiguration",
    "The public access block configuration was not found",
    { BucketName: name },
  );
}

export async function deletePublicAccessBlock({ request, storage }: Context): Promise<Reply> {
  storage.get(request.bucket).set({ publicAccessBlock: undefined });
  return { status: 204 };
}
