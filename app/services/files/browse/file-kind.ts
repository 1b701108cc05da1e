/** The extension in lower case, without its dot; empty if there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
}

export type FileKind =
  | "image"
  | "pdf"
  | "text"
  | "code"
  | "table"
  | "document"
  | "slides"
  | "video"
  | "audio"
  | "archive"
  | "other";

const kinds: Record<Exclude<FileKind, "other">, string> = {
  image: "png jpg jpeg gif webp avif svg bmp ico heic heif tif tiff",
  pdf: "pdf",
  text: "txt md markdown rst log ini conf cfg env srt vtt",
  code: "js jsx ts tsx mjs cjs json jsonl ndjson html htm css scss xml yml yaml toml py rb go rs java kt c h cc cpp hpp cs php sh bash zsh sql swift lua r pl vue svelte graphql proto diff patch dockerfile",
  table: "csv tsv xls xlsx xlsm ods numbers parquet",
  document: "doc docx docm odt pages epub",
  slides: "ppt pptx odp key",
  video: "mp4 mov webm mkv avi m4v",
  audio: "mp3 wav flac ogg oga m4a aac opus",
  archive: "zip gz tgz tar bz2 xz zst 7z rar",
};

/** The extensions of files of a kind, in lower case. */
export const extensionsOf = (kind: Exclude<FileKind, "other">): string[] => kinds[kind].split(" ");

const kindByExtension = new Map<string, FileKind>();
for (const [kind, extensions] of Object.entries(kinds)) {
  for (const extension of extensions.split(" ")) kindByExtension.set(extension, kind as FileKind);
}

export function fileKind(name: string): FileKind {
  return kindByExtension.get(extensionOf(name)) ?? "other";
}

/** Media types that browsers often do not know. */
const typeByExtension = new Map(
  Object.entries({
    md: "text/markdown",
    csv: "text/csv",
    tsv: "text/tab-separated-values",
    json: "application/json",
    jsonl: "application/x-ndjson",
    ndjson: "application/x-ndjson",
    yml: "application/yaml",
    yaml: "application/yaml",
    log: "text/plain",
    ts: "text/plain",
    tsx: "text/plain",
    sql: "text/plain",
    toml: "text/plain",
    avif: "image/avif",
    webp: "image/webp",
  }),
);

export function contentTypeOf(file: { name: string; type: string }): string {
  return file.type || typeByExtension.get(extensionOf(file.name)) || "application/octet-stream";
}
