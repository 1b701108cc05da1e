import mime from "mime";
import { covers, mediaTypeOf } from "./upload-limits";

/**
 * Whether the end of a file's name says that the file is of another type than the one that its sender declares, and `fileTypes` allows neither
 * that type nor the end of the name. The declared type is the sender's word alone: without this, `page.html` would pass for `image/*` if it is
 * called image/png. The content is not looked at.
 * @param fileTypes as in `UploadLimits`; undefined allows all
 */
export function belongsToOtherType(
  fileTypes: readonly string[] | undefined,
  { name, contentType }: { name: string; contentType: string },
): boolean {
  // Windows drops full stops and spaces at the end.
  const [, extension] = /\.([^.]+)$/.exec(name.toLowerCase().replace(/[. ]+$/, "")) ?? [];
  const typeByName = extension === undefined ? null : mime.getType(extension);
  if (fileTypes === undefined || extension === undefined || typeByName === null) return false;
  // Some ends belong to several types: `.zip` to application/zip and application/x-zip-compressed.
  if (mime.getAllExtensions(mediaTypeOf(contentType))?.has(extension)) return false;
  return !fileTypes
    .map((fileType) => fileType.toLowerCase())
    .some((fileType) =>
      fileType.startsWith(".") ? name.toLowerCase().endsWith(fileType) : covers(fileType, typeByName),
    );
}
