import type { FileKind } from "./file-kind";

/** The icon of a kind of file, or of a folder. `file-symbols.server.ts` has the drawings. */
export function FileIcon({ kind }: { kind: FileKind | "folder" }) {
  return (
    <svg className={`file-icon file-icon--${kind}`} aria-hidden="true">
      <use href={kind === "folder" ? "#icon-folder" : `#file-${kind}`} />
    </svg>
  );
}
