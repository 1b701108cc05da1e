import type { BucketSettings } from "./bucket";
import type { Context, Operation } from "./context";
import { corsElements, parseCorsRules } from "./cors";
import { S3Error } from "./errors";
import { parseLifecycleRules } from "./lifecycle";
import { type Reply, xmlReply } from "./reply";
import { childrenNamed, malformed, parseXml, textOf, type XmlObject } from "./xml";

export async function getBucketLocation({ request, storage, region }: Context): Promise<Reply> {
  storage.get(request.bucket);
  // The first region is the one without a name.
  return xmlReply("LocationConstraint", region === "us-east-1" ? "" : region);
}

/** An empty configuration says that versions were never switched on. */
export async function getBucketVersioning({ request, storage }: Context): Promise<Reply> {
  const { versioning } = storage.get(request.bucket).settings;
  return xmlReply("VersioningConfiguration", versioning ? { Status: versioning } : "");
}

/** Once switched on, it can be suspended, and never be unset. Throws MalformedXML and NotImplemented. */
export async function putBucketVersioning({ request, body, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  const root = parseXml(await body.readDocument());
  const versioning = textOf(root, "Status");
  if (root.name !== "VersioningConfiguration") throw malformed();
  if (versioning !== "Enabled" && versioning !== "Suspended") throw malformed();
  if (textOf(root, "MfaDelete") === "Enabled") {
    throw new S3Error("NotImplemented", "This store does not know MfaDelete.");
  }
  bucket.set({ versioning });
  return { status: 200 };
}

/** Something that is put on a bucket as a document, given back, and taken off again. */
interface Setting {
  root: string;
  /** the setting of a document. Throws MalformedXML, InvalidArgument and InvalidRequest */
  read(document: string): Partial<BucketSettings>;
  /** what the document holds; undefined when there is no such setting */
  write(settings: Readonly<BucketSettings>): XmlObject | undefined;
  unset: Partial<BucketSettings>;
  missing: S3Error["code"];
}

/** By their names in the table of operations; `name` is the query parameter. */
function operationsOn(
  name: string,
  { root, read, write, unset, missing }: Setting,
): Record<string, Operation> {
  return {
    async [`PUT bucket?${name}`]({ request, body, storage }) {
      const bucket = storage.get(request.bucket);
      body.requireDigest();
      bucket.set(read(await body.readDocument()));
      return { status: 200 };
    },
    async [`GET bucket?${name}`]({ request, storage }) {
      const bucket = storage.get(request.bucket);
      const content = write(bucket.settings);
      if (content) return xmlReply(root, content);
      throw new S3Error(missing, `The ${root} does not exist`, { BucketName: bucket.name });
    },
    async [`DELETE bucket?${name}`]({ request, storage }) {
      storage.get(request.bucket).set(unset);
      return { status: 204 };
    },
  };
}

export const settingOperations: Record<string, Operation> = {
  ...operationsOn("cors", {
    root: "CORSConfiguration",
    read: (document) => ({ cors: parseCorsRules(document) }),
    write: ({ cors }) => (cors.length > 0 ? corsElements(cors) : undefined),
    unset: { cors: [] },
    missing: "NoSuchCORSConfiguration",
  }),
  // Rules are kept and given back, and never carried out.
  ...operationsOn("lifecycle", {
    root: "LifecycleConfiguration",
    read: (document) => ({ lifecycle: parseLifecycleRules(document) }),
    write: ({ lifecycle }) => lifecycle && { Rule: lifecycle },
    unset: { lifecycle: undefined },
    missing: "NoSuchLifecycleConfiguration",
  }),
  ...operationsOn("encryption", {
    root: "ServerSideEncryptionConfiguration",
    read: (document) => ({ encryption: parseEncryption(document) }),
    write: ({ encryption = "AES256" }) => ({
      Rule: { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: encryption } },
    }),
    unset: { encryption: undefined },
    missing: "NoSuchBucket",
  }),
  // Likewise: nothing here is ever public.
  ...operationsOn("publicAccessBlock", {
    root: "PublicAccessBlockConfiguration",
    read: (document) => ({ publicAccessBlock: parsePublicAccessBlock(document) }),
    write: ({ publicAccessBlock }) => publicAccessBlock,
    unset: { publicAccessBlock: undefined },
    missing: "NoSuchPublicAccessBlockConfiguration",
  }),
};

function parseEncryption(document: string): "AES256" | "aws:kms" {
  const root = parseXml(document);
  const [rule] = childrenNamed(root, "Rule");
  const [byDefault] = rule ? childrenNamed(rule, "ApplyServerSideEncryptionByDefault") : [];
  const algorithm = byDefault && textOf(byDefault, "SSEAlgorithm");
  if (root.name !== "ServerSideEncryptionConfiguration") throw malformed();
  if (algorithm === "AES256" || algorithm === "aws:kms") return algorithm;
  throw malformed();
}

const PUBLIC_ACCESS = ["BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"];

function parsePublicAccessBlock(document: string): Record<string, boolean> {
  const root = parseXml(document);
  const publicAccessBlock = Object.fromEntries(PUBLIC_ACCESS.map((name) => [name, false]));
  for (const { name, text } of root.children) {
    if (!PUBLIC_ACCESS.includes(name) || !/^(true|false)$/i.test(text)) throw malformed();
    publicAccessBlock[name] = text.toLowerCase() === "true";
  }
  if (root.name !== "PublicAccessBlockConfiguration") throw malformed();
  return publicAccessBlock;
}
