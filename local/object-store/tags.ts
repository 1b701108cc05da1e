import type { Bucket } from "./bucket";
import type { Context } from "./context";
import { S3Error } from "./errors";
import type { ObjectRecord } from "./object-record";
import { type Reply, xmlReply } from "./reply";
import type { S3Request } from "./request";
import { childrenNamed, malformed, parseXml, textOf } from "./xml";

type Tags = NonNullable<ObjectRecord["tags"]>;

/** Amazon S3 User Guide, "Categorizing your storage using tags". */
const MOST_TAGS = 10;
const LONGEST_NAME = 128;
const LONGEST_VALUE = 256;

/** Those that a PUT, or the beginning of an upload in parts, brings along, as a query. Throws InvalidTag, InvalidArgument. */
export function readTagsHeader(request: S3Request): Tags | undefined {
  const text = request.header("x-amz-tagging");
  if (text === undefined) return undefined;
  return checked([...new URLSearchParams(text)]);
}

/** Those of a copy: the source's, unless `x-amz-tagging-directive: REPLACE`. Throws InvalidTag, InvalidArgument. */
export function readCopiedTags(request: S3Request, source: ObjectRecord): Tags | undefined {
  const directive = request.header("x-amz-tagging-directive") ?? "COPY";
  if (directive === "COPY") return source.tags;
  if (directive === "REPLACE") return readTagsHeader(request);
  throw new S3Error("InvalidArgument", "Unknown tagging directive.", {
    ArgumentName: "x-amz-tagging-directive",
    ArgumentValue: directive,
  });
}

function checked(pairs: [name: string, value: string][]): Tags | undefined {
  const tags = Object.fromEntries(pairs);
  const isRight = pairs.every(
    ([name, value]) => name !== "" && name.length <= LONGEST_NAME && value.length <= LONGEST_VALUE,
  );
  if (pairs.length > MOST_TAGS || Object.keys(tags).length < pairs.length || !isRight) {
    throw new S3Error("InvalidTag", "The tags are too many, too long, or one is there twice.");
  }
  return pairs.length === 0 ? undefined : tags;
}

export async function getObjectTagging({ request, storage }: Context): Promise<Reply> {
  const { tags = {} } = storage.get(request.bucket).get(request.key);
  const Tag = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  return xmlReply("Tagging", { TagSet: { Tag } });
}

export async function putObjectTagging({ request, body, storage }: Context): Promise<Reply> {
  const root = parseXml(await body.readDocument());
  const [set] = childrenNamed(root, "TagSet");
  if (root.name !== "Tagging" || set === undefined) throw malformed();
  const pairs = childrenNamed(set, "Tag").map((tag): [string, string] => [
    textOf(tag, "Key") ?? "",
    textOf(tag, "Value") ?? "",
  ]);
  return retag(storage.get(request.bucket), request.key, checked(pairs), 200);
}

export async function deleteObjectTagging({ request, storage }: Context): Promise<Reply> {
  return retag(storage.get(request.bucket), request.key, undefined, 204);
}

function retag(bucket: Bucket, key: string, tags: Tags | undefined, status: number): Reply {
  bucket.retag(key, tags);
  return { status };
}
