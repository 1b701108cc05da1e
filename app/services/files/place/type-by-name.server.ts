import mime from "mime";
import { covers, mediaTypeOf } from "../../../../embed-element/shared/upload-limits";

/**
 * Ends of names that Windows or macOS open as programs or as links to them, and that have no media type in `mime`. They count as programs.
 * Microsoft, "Blocked attachments in Outlook".
 */
const programs = new Set(
  (
    "app appref-ms cmd command cpl gadget hta inf jse library-ms msc pif ps1 ps1xml ps2 psc1 psd1 psm1 reg scf scr sct search-ms " +
    "settingcontent-ms shb shs terminal tool url vb vbe vbs website workflow ws wsc wsf wsh"
  ).split(" "),
);
const PROGRAM_TYPE = "application/x-msdownload";

const typeOfEnd = (extension: string): string | null =>
  programs.has(extension) ? PROGRAM_TYPE : mime.getType(extension);

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
  const typeByName = extension === undefined ? null : typeOfEnd(extension);
  if (fileTypes === undefined || extension === undefined || typeByName === null) return false;
  // Some ends belong to several types: `.zip` to application/zip and application/x-zip-compressed.
  if (mime.getAllExtensions(mediaTypeOf(contentType))?.has(extension)) return false;
  return !fileTypes
    .map((fileType) => fileType.toLowerCase())
    .some((fileType) =>
      fileType.startsWith(".") ? name.toLowerCase().endsWith(fileType) : covers(fileType, typeByName),
    );
}
