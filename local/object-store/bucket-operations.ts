import { checkDeleteCondition } from "./conditions";
import type { Context } from "./context";
import { S3Error } from "./errors";
import { OWNER } from "./features";
import { idOf, isDeleteMarker, type Version } from "./object-record";
import { type Reply, xmlReply } from "./reply";
import { childrenNamed, malformed, parseXml, textOf } from "./xml";

const MOST_KEYS = 1000;

export async function listBuckets({ storage }: Context): Promise<Reply> {
  const buckets = storage.names().map((name) => ({
    Name: name,
    CreationDate: new Date(storage.get(name).created).toISOString(),
  }));
  return xmlReply("ListAllMyBucketsResult", {
    Owner: OWNER,
    Buckets: { Bucket: buckets },
  });
}

export async function createBucket({ request, body, storage, region }: Context): Promise<Reply> {
  const document = (request.header("content-length") ?? "0") === "0" ? "" : await body.readDocument();
  const location = document === "" ? undefined : textOf(parseXml(document), "LocationConstraint");
  if (location !== undefined && location !== region) {
    throw new S3Error(
      "IllegalLocationConstraintException",
      `The ${location} location constraint is incompatible for the region specific endpoint this request was sent to.`,
    );
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

export async function deleteObjects({ request, body, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  body.requireDigest();
  const root = parseXml(await body.readDocument());
  const nodes = childrenNamed(root, "Object");
  const quiet = textOf(root, "Quiet") === "true";
  if (root.name !== "Delete" || nodes.length === 0 || nodes.length > MOST_KEYS) throw malformed();
  for (const { children } of nodes) {
    const unknown = children.find(({ name }) => name !== "Key" && name !== "ETag" && name !== "VersionId");
    if (unknown) {
      throw new S3Error("NotImplemented", `This store does not know ${unknown.name} of an object to delete.`);
    }
  }
  const keys = nodes.map((node) => textOf(node, "Key") ?? "");
  if (keys.includes("")) throw malformed();
  const outcomes = nodes.map((node, position) => {
    const key = keys[position] ?? "";
    try {
      checkDeleteCondition(textOf(node, "ETag"), key, bucket.find(key));
    } catch (error) {
      if (error instanceof S3Error) return { Error: { Key: key, Code: error.code, Message: error.message } };
      throw error;
    }
    const id = textOf(node, "VersionId");
    const touched = id === undefined ? bucket.remove(key) : bucket.removeVersion(key, id);
    return { Deleted: quiet ? undefined : { Key: key, VersionId: id, ...markerElements(touched) } };
  });
  return xmlReply("DeleteResult", {
    Deleted: outcomes.map(({ Deleted }) => Deleted),
    Error: outcomes.map(({ Error: refused }) => refused),
  });
}

function markerElements(touched: Version | undefined) {
  if (touched === undefined || !isDeleteMarker(touched)) return {};
  return { DeleteMarker: true, DeleteMarkerVersionId: idOf(touched) };
}
