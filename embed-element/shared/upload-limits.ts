/** What may be uploaded. The server checks it before it signs a URL, and the explorer before it sends anything. */
export interface UploadLimits {
  /** bytes */
  maxFileBytes?: number | undefined;
  /** bytes, of all files together. Only the server knows how many there are. */
  maxTotalBytes?: number | undefined;
  /** like `image/*`, `application/pdf` or `.docx`; a file must match one of them */
  fileTypes?: string[] | undefined;
}

interface LimitedFile {
  name: string;
  /** a media type, with or without parameters */
  contentType: string;
  /** bytes */
  size: number;
}

/** The limit that the file exceeds; null when there is none. */
export function brokenLimit(
  { maxFileBytes, fileTypes }: UploadLimits,
  { name, contentType, size }: LimitedFile,
): "too_large" | "type_not_allowed" | null {
  if (maxFileBytes !== undefined && size > maxFileBytes) return "too_large";
  const matches = (fileType: string) => isOfType(fileType.toLowerCase(), name, contentType);
  return fileTypes === undefined || fileTypes.some(matches) ? null : "type_not_allowed";
}

function isOfType(fileType: string, name: string, contentType: string): boolean {
  if (fileType.startsWith(".")) return name.toLowerCase().endsWith(fileType);
  return covers(fileType, mediaTypeOf(contentType));
}

/** A media type without its parameters, in lower case. */
export function mediaTypeOf(contentType: string): string {
  const [mediaType = ""] = contentType.toLowerCase().split(";");
  return mediaType.trim();
}

/** Whether `fileType` includes `other`: `image/*` includes `image/png` and itself. Both in lower case. */
export function covers(fileType: string, other: string): boolean {
  return fileType === other || (fileType.endsWith("/*") && other.startsWith(fileType.slice(0, -1)));
}

/** The limits that satisfy both: the smaller sizes, and the file types that are in both lists. */
export function tighterLimits(one: UploadLimits = {}, other: UploadLimits = {}): UploadLimits {
  return {
    maxFileBytes: smaller(one.maxFileBytes, other.maxFileBytes),
    maxTotalBytes: smaller(one.maxTotalBytes, other.maxTotalBytes),
    fileTypes: commonTypes(one.fileTypes, other.fileTypes),
  };
}

const smaller = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

function commonTypes(one: string[] | undefined, other: string[] | undefined): string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [these, those] = [one, other].map((types) => types.map((type) => type.toLowerCase()));
  const within = (types: string[] = [], wider: string[] = []) =>
    types.filter((type) => wider.some((wide) => covers(wide, type)));
  return [...new Set([...within(these, those), ...within(those, these)])].sort();
}
