import { useState } from "react";
import type { FileKind } from "./file-kind";
import { type IconName, iconSymbols } from "./icon-symbols.server";

export type { IconName };

/**
 * Every icon once; the rest of the page refers to them by id, so that a thousand rows stay light. A browser has no drawings but those
 * that came with the page.
 */
export function IconSheet() {
  const [symbols] = useState(() =>
    typeof document === "undefined" ? iconSymbols : (document.querySelector(".icon-sheet")?.innerHTML ?? ""),
  );
  return (
    <svg
      className="icon-sheet"
      aria-hidden="true"
      // Written here and there in different ways.
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: constants of ours
      dangerouslySetInnerHTML={{ __html: symbols }}
    />
  );
}

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" aria-hidden="true">
      <use href={`#icon-${name}`} />
    </svg>
  );
}

export function FileIcon({ kind }: { kind: FileKind | "folder" }) {
  return (
    <svg className={`file-icon file-icon--${kind}`} aria-hidden="true">
      <use href={kind === "folder" ? "#icon-folder" : `#file-${kind}`} />
    </svg>
  );
}
