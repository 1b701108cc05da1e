import type { Context } from "./context";
import { OWNER } from "./features";
import { compareUtf8 } from "./key-index";
import { listingEncoding, readCount } from "./listing-parameters";
import type { Upload } from "./multipart-storage";
import { checksumElements } from "./object-operations";
import { type Reply, xmlReply } from "./reply";

export async function listParts({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  const bucket = storage.get(request.bucket);
  const upload = bucket.uploads.get(query.get("uploadId") ?? "", request.key);
  const { encode, encodingType } = listingEncoding(query);
  const marker = readCount(query, "part-number-marker", 0);
  const maxParts = readCount(query, "max-parts");
  const after = [...upload.parts.values()]
    .filter(({ number }) => number > marker)
    .sort((a, b) => a.number - b.number);
  const page = after.slice(0, maxParts);
  return xmlReply("ListPartsResult", {
    Bucket: bucket.name,
    EncodingType: encodingType,
    Key: encode(upload.key),
    UploadId: upload.id,
    Initiator: OWNER,
    Owner: OWNER,
    StorageClass: upload.storageClass ?? "STANDARD",
    PartNumberMarker: marker,
    NextPartNumberMarker: page.at(-1)?.number ?? marker,
    MaxParts: maxParts,
    IsTruncated: page.length > 0 && page.length < after.length,
    ChecksumAlgorithm: upload.checksum?.algorithm,
    ChecksumType: upload.checksum?.type,
    Part: page.map((part) => ({
      PartNumber: part.number,
      LastModified: new Date(part.lastModified).toISOString(),
      ETag: part.etag,
      Size: part.size,
      ...checksumElements(part.checksum),
    })),
  });
}

/** An entry of the listing: an upload, or what uploads have in common up to the delimiter. */
interface Entry {
  /** a key, or a common prefix */
  name: string;
  upload?: Upload;
}

/** With `upload-id-marker`, uploads of `key-marker` itself come after that one; without, none of that key does. */
export async function listMultipartUploads({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  const bucket = storage.get(request.bucket);
  const { encode, encodingType } = listingEncoding(query);
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""];
  const keyMarker = query.get("key-marker") ?? "";
  const idMarker = keyMarker === "" ? "" : (query.get("upload-id-marker") ?? "");
  const maxUploads = readCount(query, "max-uploads");

  const isAfter = ({ name, upload }: Entry) => {
    const order = keyMarker === "" ? 1 : compareUtf8(name, keyMarker);
    return order > 0 || (order === 0 && idMarker !== "" && upload !== undefined && upload.id > idMarker);
  };
  const after = entriesOf(bucket.uploads.list(), prefix, delimiter).filter(isAfter);
  const page = after.slice(0, maxUploads);
  const truncated = page.length > 0 && page.length < after.length;
  const last = page.at(-1);
  return xmlReply("ListMultipartUploadsResult", {
    Bucket: bucket.name,
    EncodingType: encodingType,
    KeyMarker: encode(keyMarker),
    UploadIdMarker: idMarker,
    NextKeyMarker: truncated && last ? encode(last.name) : undefined,
    NextUploadIdMarker: truncated ? last?.upload?.id : undefined,
    Prefix: encode(prefix),
    Delimiter: delimiter === "" ? undefined : encode(delimiter),
    MaxUploads: maxUploads,
    IsTruncated: truncated,
    Upload: page.flatMap(({ upload }) => (upload ? [describeUpload(upload, encode)] : [])),
    CommonPrefixes: page.flatMap(({ name, upload }) => (upload ? [] : [{ Prefix: encode(name) }])),
  });
}

function entriesOf(uploads: Upload[], prefix: string, delimiter: string): Entry[] {
  const entries: Entry[] = [];
  for (const upload of uploads) {
    if (!upload.key.startsWith(prefix)) continue;
    const cut = delimiter === "" ? -1 : upload.key.indexOf(delimiter, prefix.length);
    const name = cut === -1 ? upload.key : upload.key.slice(0, cut + delimiter.length);
    const last = entries.at(-1);
    if (cut === -1) entries.push({ name, upload });
    else if (last?.upload || last?.name !== name) entries.push({ name });
  }
  return entries;
}

function describeUpload(
  { key, id, initiated, checksum, storageClass }: Upload,
  encode: (text: string) => string,
) {
  return {
    Key: encode(key),
    UploadId: id,
    Initiator: OWNER,
    Owner: OWNER,
    StorageClass: storageClass ?? "STANDARD",
    Initiated: new Date(initiated).toISOString(),
    ChecksumAlgorithm: checksum?.algorithm,
    ChecksumType: checksum?.type,
  };
}
