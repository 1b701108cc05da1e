import mime from "mime";
import { covers, mediaTypeOf } from "../../../../embed-element/shared/upload-limits";

/**
 * Ends of names that Windows, macOS, Linux or an office program open as programs or as links to them, and that have no media type in `mime`. They
 * count as programs. Microsoft, "Blocked attachments in Outlook".
 */
const programs = new Set(
  (
    "ade afploc app appcontent-ms appimage applescript appref-ms asp aspx bas bgi cmd cnt command cpl desktop deskthemepack diagcab diagcfg " +
    "diagpkg dqy fileloc ftploc gadget grp hpj hta inetloc inf ins iqy isp jse ksh library-ms mad maf mam maq mas mat mau mav maw mcf mda mde " +
    "mdt mdw mdz mobileconfig msc msh1 msh1xml msh2 msh2xml mshxml mst msu ops oqy osax osd pcd pif plg prefpane prg printerexport ps1 ps1xml " +
    "ps2 ps2xml psc1 psc2 psd1 psdm1 psm1 py pyc pyo pyw pyz pyzw qlgenerator rdp reg rqy scf scpt scptd scr sct search-ms searchconnector-ms " +
    "settingcontent-ms shb shs slk terminal theme themepack tool udl url vb vbe vbp vbs vhdx vncloc vsmacros webloc webpnp website wll workflow " +
    "ws wsb wsc wsf wsh xll xnk"
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
  const [, extension] = /\.([^.]+)$/.exec(nameOnDisk(name).toLowerCase()) ?? [];
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

/**
 * The name that a file may get when it is saved: Windows drops full stops and spaces at the end, Firefox all kinds of spaces there, and
 * separators of lines anywhere. Other programs drop what nobody sees.
 */
const nameOnDisk = (name: string) =>
  name.replace(/[\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "").replace(/[.\s]+$/, "");
