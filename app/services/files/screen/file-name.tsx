import type { HTMLAttributes, ReactNode } from "react";
import { findMatches } from "../../../shared/fold-name";
import { useVisibleName } from "./language";

/** As long as the extensions that people know a file by; `.`, if anything is before it. */
const EXTENSION = /(?<=.)\.[\p{L}\p{N}]{1,8}$/u;
/** So many characters at the end stay, because the names of a series differ there. */
const END_LENGTH = 6;
/** Text that can be taken apart anywhere. What joins its neighbours cannot, such as flags and letters, nor what is read from right to left. */
const SEPARABLE =
  /^(?!.*[\p{RI}\p{EMod}])[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{N}\p{P}\p{S} ]{14,}$/u;

interface FileNameProps extends HTMLAttributes<HTMLElement> {
  name: string;
  /** of a search: what matches it is marked */
  query?: string;
  /** where text cannot be selected: a name is cut in its middle, not at its end */
  keepsEnd?: boolean;
}

/**
 * The name of a file or folder, in its own direction, with what is invisible in it. If there is not enough room, it is cut at its end. With
 * `keepsEnd`, its end and the extension stay: the style sheet draws the name in two parts, over its text, which is one for screen readers.
 * Text that can be selected is never hidden like this, because whoever copies it would paste hidden text.
 */
export function FileName({
  name,
  query = "",
  keepsEnd = false,
  className = "",
  ...attributes
}: FileNameProps) {
  const shown = useVisibleName()(name);
  // Marks show where a result matches: such a name is not cut in the middle.
  const parts = keepsEnd && query === "" ? partsOf(shown) : undefined;
  return (
    <bdi className={`file-name ${className}`} {...parts} {...attributes}>
      <span>{withMarks(shown, query)}</span>
    </bdi>
  );
}

/** What the style sheet draws: the end of the name stays, the start is cut if there is not enough room. */
function partsOf(name: string) {
  const [extension = ""] = EXTENSION.exec(name) ?? [];
  const base = name.slice(0, name.length - extension.length);
  const end = SEPARABLE.test(base) ? [...base].slice(-END_LENGTH).join("") : "";
  return { "data-start": base.slice(0, base.length - end.length), "data-end": end + extension };
}

/** `text`, with marks where it matches a search. */
export function withMarks(text: string, query: string): ReactNode {
  if (query === "") return text;
  const parts: ReactNode[] = [];
  let from = 0;
  for (const match of findMatches(text, query)) {
    const start = Math.max(match[0], from);
    const end = match[1];
    if (start >= end) continue;
    parts.push(text.slice(from, start), <mark key={start}>{text.slice(start, end)}</mark>);
    from = end;
  }
  return [...parts, text.slice(from)];
}
