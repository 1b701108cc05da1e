import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { type ChecksumAlgorithm, checksumHeader } from "../../embed-element/shared/checksums";
import { encodeStrictly } from "../sigv4";
import { type Digest, MAX_PUT_BYTES, writeAndDigest } from "./body";
import { type Bucket, type ObjectRecord, wholeSecond } from "./bucket";
import { type Checksum, combineChecksums, readAlgorithm, readChecksumType } from "./checksums";
import { checkWriteConditions, isEtagIn } from "./conditions";
import type { ByteRange } from "./data-files";
import { invalidArgument, malformedXml, S3Error } from "./errors";
import { readObjectHeaders, readStorageClass, readTags } from "./object-headers";
import { checksumElements, copiedVersion, findCopySource } from "./object-operations";
import { type Context, type Reply, xmlReply } from "./operation";
import type { S3Request } from "./request";
import type { Part, Upload } from "./uploads";
import { childrenNamed, parseXml, textOf, type XmlNode } from "./xml";

/** Amazon S3 User Guide, "Amazon S3 multipart upload limits". */
const MAX_PARTS = 10_000;
/** of every part but the last */
const MIN_PART_BYTES = 5 * 1024 ** 2;

export async function createMultipartUpload({ request, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  const askedAlgorithm = request.header("x-amz-checksum-algorithm");
  const algorithm = askedAlgorithm === undefined ? undefined : readAlgorithm(askedAlgorithm);
  const type = algorithm && readChecksumType(algorithm, request.header("x-amz-checksum-type"));
  const { id } = bucket.uploads.create({
    key: request.key,
    headers: readObjectHeaders(request),
    ...readStorageClass(request),
    ...readTags(request),
    ...(algorithm && type && { checksum: { algorithm, type } }),
  });
  return xmlReply(
    "InitiateMultipartUploadResult",
    { Bucket: bucket.name, Key: request.key, UploadId: id },
    { ...(algorithm && type && { "x-amz-checksum-algorithm": algorithm, "x-amz-checksum-type": type }) },
  );
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
  return {
    status: 200,
    headers: { etag, ...(checksum && { [checksumHeader(checksum.algorithm)]: checksum.value }) },
  };
}

export async function uploadPartCopy(context: Context): Promise<Reply> {
  const { request, storage } = context;
  const { bucket, source } = findCopySource(request, storage);
  const range = readCopyRange(request, source);
  if ((range ? range.end - range.start + 1 : source.size) > MAX_PUT_BYTES) {
    throw new S3Error("InvalidRequest", "The specified copy range is larger than the largest part.");
  }
  const part = await storePart(context, (path, upload) =>
    writeAndDigest(
      bucket.data.read(source.pieces, range),
      createWriteStream(path),
      upload.checksum?.algorithm,
    ),
  );
  const content = {
    LastModified: new Date(part.lastModified).toISOString(),
    ETag: part.etag,
    ...checksumElements(part.checksum),
  };
  return xmlReply("CopyPartResult", content, copiedVersion(bucket, source));
}

/** `x-amz-copy-source-range`, which unlike `Range` must be inside the object. Throws InvalidArgument. */
function readCopyRange(request: S3Request, source: ObjectRecord): ByteRange | undefined {
  const text = request.header("x-amz-copy-source-range");
  if (text === undefined) return undefined;
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text);
  const [start, end] = [Number(match?.[1]), Number(match?.[2])];
  if (match && start <= end && end < source.size) return { start, end };
  throw invalidArgument(
    "x-amz-copy-source-range",
    text,
    "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy",
  );
}

/** Lets `write` write the bytes to a new file, and then makes them a part of the upload. */
async function storePart(
  { request, storage }: Context,
  write: (path: string, upload: Upload) => Promise<Digest>,
): Promise<Part> {
  const bucket = storage.get(request.bucket);
  const upload = bucket.uploads.get(uploadIdOf(request), request.key);
  const number = readPartNumber(request.query.get("partNumber") ?? "");
  return bucket.data.create(
    request.key,
    (path) => write(path, upload),
    ({ size, md5, checksum }, file) => {
      const { etag } = bucket.etagOf(md5);
      const part: Part = { number, size, etag, lastModified: wholeSecond(), checksum, file };
      // Look up again: while the bytes arrived, another request may have ended the upload or removed the bucket.
      storage.get(request.bucket).uploads.commitPart(upload, part);
      return part;
    },
  );
}

export function uploadIdOf({ query }: S3Request): string {
  return query.get("uploadId") ?? "";
}

function readPartNumber(text: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PARTS) return Number(text);
  throw invalidArgument("partNumber", text, "Part number must be an integer between 1 and 10000, inclusive");
}

export async function abortMultipartUpload({ request, storage }: Context): Promise<Reply> {
  const { uploads } = storage.get(request.bucket);
  uploads.remove(uploads.get(uploadIdOf(request), request.key));
  return { status: 204 };
}

/** A repeated completion gets the first one's response, as long as the object is still the one that it created. */
export async function completeMultipartUpload({ request, body, storage }: Context): Promise<Reply> {
  const { key } = request;
  const id = uploadIdOf(request);
  const document = await body.readDocument({ isAboutObject: true });
  const bucket = storage.get(request.bucket);
  const listed = childrenNamed(parseXml(document, "CompleteMultipartUpload"), "Part");
  if (listed.length === 0 || listed.length > MAX_PARTS) throw malformedXml();
  const current = bucket.find(key);
  if (current?.upload === id) return completionReply(request, current, bucket);

  const upload = bucket.uploads.get(id, key);
  const parts = chooseParts(listed, upload);
  const etags = createHash("md5");
  for (const { etag } of parts) etags.update(Buffer.from(etag.slice(1, -1), "hex"));
  const record: ObjectRecord = {
    key,
    size: parts.reduce((sum, part) => sum + part.size, 0),
    ...bucket.etagOf(""),
    etag: `"${etags.digest("hex")}-${parts.length}"`,
    lastModified: wholeSecond(),
    headers: upload.headers,
    ...(upload.tags && { tags: upload.tags }),
    ...(upload.storageClass && { storageClass: upload.storageClass }),
    checksum: checksumOf(upload, parts),
    pieces: parts.map(({ file, size }) => ({ file, size })),
    upload: id,
  };
  checkAnnouncedChecksum(request, body.checksumAlgorithm(), record.checksum);
  const stored = bucket.complete(upload, record, (replaced) => checkWriteConditions(request, replaced));
  return completionReply(request, stored, bucket);
}

function completionReply({ raw, key }: S3Request, record: ObjectRecord, bucket: Bucket): Reply {
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

/** The parts that a completion lists. Throws InvalidPartOrder, InvalidPart, EntityTooSmall and MalformedXML. */
function chooseParts(listed: XmlNode[], upload: Upload): Part[] {
  let previous = 0;
  const parts = listed.map((node) => {
    const number = textOf(node, "PartNumber") ?? "";
    const etag = textOf(node, "ETag") ?? "";
    if (!/^[0-9]{1,5}$/.test(number) || etag === "") throw malformedXml();
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
    if (part && isEtagIn(etag, part.etag) && !differs) return part;
    throw new S3Error(
      "InvalidPart",
      "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
      { UploadId: upload.id, PartNumber: number, ETag: etag },
    );
  });
  const small = parts.slice(0, -1).find(({ size }) => size < MIN_PART_BYTES);
  if (!small) return parts;
  throw new S3Error("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size", {
    ProposedSize: String(small.size),
    MinSizeAllowed: String(MIN_PART_BYTES),
    PartNumber: String(small.number),
    ETag: small.etag,
  });
}

function checksumOf({ checksum }: Upload, parts: Part[]): Checksum | undefined {
  if (!checksum) return undefined;
  const values = parts.map((part) => ({ value: part.checksum?.value ?? "", size: part.size }));
  return combineChecksums(checksum.algorithm, checksum.type, values);
}

/** Checks what a completion says about the checksum of the object. Throws InvalidRequest and BadDigest. */
function checkAnnouncedChecksum(
  request: S3Request,
  algorithm: ChecksumAlgorithm | undefined,
  checksum: Checksum | undefined,
): void {
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
