import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { LARGEST_PUT } from "./body";
import type { Bucket } from "./bucket";
import {
  type Checksum,
  type ChecksumAlgorithm,
  checksumHeader,
  combineChecksums,
  readAlgorithm,
  readChecksumType,
} from "./checksums";
import { checkWriteConditions, namesEtag } from "./conditions";
import type { Context } from "./context";
import { copyBytes, findCopySource, readCopyRange } from "./copying";
import { S3Error } from "./errors";
import type { Part, Upload } from "./multipart-storage";
import { readAttributes, readObjectHeaders } from "./object-headers";
import { checksumElements, wholeSecond } from "./object-operations";
import type { ObjectRecord } from "./object-record";
import { type Reply, xmlReply } from "./reply";
import { encodeStrictly, type S3Request } from "./request";
import { readTagsHeader } from "./tags";
import type { Received } from "./tally";
import { childrenNamed, malformed, parseXml, textOf, type XmlNode } from "./xml";

/** Amazon S3 User Guide, "Amazon S3 multipart upload limits". */
const MOST_PARTS = 10_000;
/** bytes; of every part but the last */
const SMALLEST_PART = 5 * 1024 ** 2;
/** bytes; 10,000 parts with a number, an ETag and a checksum each are under 3 MiB */
const LARGEST_PARTS_DOCUMENT = 4 * 1024 ** 2;

export async function createMultipartUpload({ request, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  const asked = request.header("x-amz-checksum-algorithm");
  const type = request.header("x-amz-checksum-type");
  if (asked === undefined && type !== undefined) {
    throw new S3Error(
      "InvalidRequest",
      "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.",
    );
  }
  const algorithm = asked === undefined ? undefined : readAlgorithm(asked);
  const { id, checksum } = bucket.uploads.create({
    key: request.key,
    headers: readObjectHeaders(request),
    ...readAttributes(request, readTagsHeader(request)),
    ...(algorithm && { checksum: { algorithm, type: readChecksumType(algorithm, type) } }),
  });
  const content = { Bucket: bucket.name, Key: request.key, UploadId: id };
  return xmlReply("InitiateMultipartUploadResult", content, {
    ...(checksum && {
      "x-amz-checksum-algorithm": checksum.algorithm,
      "x-amz-checksum-type": checksum.type,
    }),
  });
}

export async function uploadPart(context: Context): Promise<Reply> {
  const { body } = context;
  const { checksum, etag } = await storePart(context, (path, upload) => {
    if (upload.checksum?.type === "COMPOSITE" && body.checksumAlgorithm() === undefined) {
      throw new S3Error(
        "InvalidRequest",
        `Checksum Type mismatch occurred, expected checksum Type: ${upload.checksum.algorithm.toLowerCase()}, actual checksum Type: null`,
      );
    }
    return body.pipeTo(() => createWriteStream(path), upload.checksum?.algorithm);
  });
  const answered = checksum && { [checksumHeader(checksum.algorithm)]: checksum.value };
  return { status: 200, headers: { etag, ...answered } };
}

export async function uploadPartCopy(context: Context): Promise<Reply> {
  const { request, storage } = context;
  const source = findCopySource(request, storage);
  const range = readCopyRange(request, source.record);
  if ((range ? range.end - range.start + 1 : source.record.size) > LARGEST_PUT) {
    throw new S3Error("InvalidRequest", "The specified copy range is larger than the largest part.");
  }
  const part = await storePart(context, (path, upload) =>
    copyBytes(source, path, { range, algorithm: upload.checksum?.algorithm }),
  );
  return xmlReply("CopyPartResult", {
    LastModified: new Date(part.lastModified).toISOString(),
    ETag: part.etag,
    ...checksumElements(part.checksum),
  });
}

async function storePart(
  { request, storage }: Context,
  write: (path: string, upload: Upload) => Promise<Received>,
): Promise<Part> {
  const bucket = storage.get(request.bucket);
  const { data, uploads } = bucket;
  const upload = uploads.get(request.query.get("uploadId") ?? "", request.key);
  const number = readPartNumber(request.query.get("partNumber") ?? "");
  const file = data.newName(request.key);
  try {
    const { size, md5, checksum } = await write(data.path(file), upload);
    const { etag } = bucket.sealed(md5);
    const part: Part = { number, size, etag, lastModified: wholeSecond(), checksum, file };
    // Asked again: while these bytes were on their way the bucket may be gone, or the upload over.
    storage.get(request.bucket).uploads.commitPart(upload, part);
    return part;
  } catch (error) {
    data.discard([{ file, size: 0 }]);
    throw error;
  }
}

function readPartNumber(text: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_PARTS) return Number(text);
  throw new S3Error("InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive", {
    ArgumentName: "partNumber",
    ArgumentValue: text,
  });
}

export async function abortMultipartUpload({ request, storage }: Context): Promise<Reply> {
  const { uploads } = storage.get(request.bucket);
  uploads.remove(uploads.get(request.query.get("uploadId") ?? "", request.key));
  return { status: 204 };
}

/** Repeated, it answers as the first time, for as long as the object is the one that it made. */
export async function completeMultipartUpload({ request, body, storage }: Context): Promise<Reply> {
  const { key } = request;
  const id = request.query.get("uploadId") ?? "";
  const document = await body.readDocument({ limit: LARGEST_PARTS_DOCUMENT, ofObject: true });
  const bucket = storage.get(request.bucket);
  const root = parseXml(document);
  const listed = childrenNamed(root, "Part");
  if (root.name !== "CompleteMultipartUpload" || listed.length === 0 || listed.length > MOST_PARTS) {
    throw malformed();
  }
  const current = bucket.find(key);
  if (current?.upload === id) return completed(request, current, bucket);

  const upload = bucket.uploads.get(id, key);
  const parts = chooseParts(listed, upload);
  const etags = createHash("md5");
  for (const { etag } of parts) etags.update(Buffer.from(etag.slice(1, -1), "hex"));
  const record: ObjectRecord = {
    key,
    size: parts.reduce((sum, part) => sum + part.size, 0),
    ...bucket.sealed(""),
    etag: `"${etags.digest("hex")}-${parts.length}"`,
    lastModified: wholeSecond(),
    headers: upload.headers,
    ...(upload.tags && { tags: upload.tags }),
    ...(upload.storageClass && { storageClass: upload.storageClass }),
    checksum: checksumOf(upload, parts),
    pieces: parts.map(({ file, size }) => ({ file, size })),
    upload: id,
  };
  checkAnnounced(request, body.checksumAlgorithm(), record);
  const stored = bucket.complete(upload, record, (replaced) => checkWriteConditions(request, replaced));
  return completed(request, stored, bucket);
}

function completed({ raw, key }: S3Request, record: ObjectRecord, bucket: Bucket): Reply {
  const path = `${bucket.name}/${key}`.split("/").map(encodeStrictly).join("/");
  const content = {
    Location: `http://${raw.headers.host}/${path}`,
    Bucket: bucket.name,
    Key: key,
    ETag: record.etag,
    ...checksumElements(record.checksum),
  };
  return xmlReply("CompleteMultipartUploadResult", content, bucket.versionHeader(record));
}

/** The parts that the completion lists. Throws InvalidPartOrder, InvalidPart, EntityTooSmall, MalformedXML. */
function chooseParts(listed: XmlNode[], upload: Upload): Part[] {
  let previous = 0;
  const parts = listed.map((node) => {
    const number = textOf(node, "PartNumber") ?? "";
    const etag = textOf(node, "ETag") ?? "";
    if (!/^[0-9]{1,5}$/.test(number) || etag === "") throw malformed();
    if (Number(number) <= previous) {
      throw new S3Error(
        "InvalidPartOrder",
        "The list of parts was not in ascending order. Parts must be ordered by part number.",
        { UploadId: upload.id },
      );
    }
    previous = Number(number);
    const part = upload.parts.get(previous);
    const differs = node.children.some(
      ({ name, text }) => name === `Checksum${part?.checksum?.algorithm}` && text !== part?.checksum?.value,
    );
    if (part && namesEtag(etag, part.etag) && !differs) return part;
    throw new S3Error(
      "InvalidPart",
      "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
      { UploadId: upload.id, PartNumber: number, ETag: etag },
    );
  });
  const small = parts.slice(0, -1).find(({ size }) => size < SMALLEST_PART);
  if (!small) return parts;
  throw new S3Error("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size", {
    ProposedSize: String(small.size),
    MinSizeAllowed: String(SMALLEST_PART),
    PartNumber: String(small.number),
    ETag: small.etag,
  });
}

function checksumOf({ checksum }: Upload, parts: Part[]): Checksum | undefined {
  if (!checksum) return undefined;
  const values = parts.map((part) => ({ value: part.checksum?.value ?? "", size: part.size }));
  return combineChecksums(checksum.algorithm, checksum.type, values);
}

/** What the completion says of the object it expects. Throws InvalidRequest, BadDigest. */
function checkAnnounced(
  request: S3Request,
  algorithm: ChecksumAlgorithm | undefined,
  { size, checksum }: ObjectRecord,
): void {
  const expectedSize = request.header("x-amz-mp-object-size");
  if (expectedSize !== undefined && expectedSize !== String(size)) {
    throw new S3Error(
      "InvalidRequest",
      "The provided 'x-amz-mp-object-size' header value does not match what was computed.",
    );
  }
  const type = request.header("x-amz-checksum-type");
  if (type !== undefined && type !== checksum?.type) {
    throw new S3Error(
      "InvalidRequest",
      `The upload was created using the ${checksum?.type ?? "null"} checksum mode. The complete request must use the same checksum mode.`,
    );
  }
  if (!algorithm) return;
  if (algorithm !== checksum?.algorithm || request.header(checksumHeader(algorithm)) !== checksum.value) {
    throw new S3Error("BadDigest", `The ${algorithm} you specified did not match the calculated checksum.`);
  }
}
