import type { HTMLAttributes } from "react";
import { useVisibleName } from "./language";

/** As long as the extensions that people know a file by; `.`, if anything is before it. */
const EXTENSION = /(?<=.)\.[\p{L}\p{N}]{1,8}$/u;
/** So many characters at the end stay, because the names of a series differ there. */
const END_LENGTH = 6;
/** Text that can be taken apart anywhere. Letters that join their neighbours cannot, nor what is read from right to left. */
const SEPARABLE =
  /^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{N}\p{P}\p{S} ]{14,}$/u;

interface FileNameProps extends HTMLAttributes<HTMLElement> {
  name: string;
}

/**
 * The name of a file or folder, in its own direction, with what is invisible in it. If there is not enough room, it is cut in the middle: its end
 * and the extension stay. The two parts are drawn by the style sheet, so that the name is one text for screen readers and the clipboard.
 */
export function FileName({ name, className = "", ...attributes }: FileNameProps) {
  const shown = useVisibleName()(name);
  const [extension = ""] = EXTENSION.exec(shown) ?? [];
  const base = shown.slice(0, shown.length - extension.length);
  const end = SEPARABLE.test(base) ? [...base].slice(-END_LENGTH).join("") : "";
  return (
    <bdi
      className={`file-name ${className}`}
      data-start={base.slice(0, base.length - end.length)}
      data-end={end + extension}
      {...attributes}
    >
      <span>{shown}</span>
    </bdi>
  );
}
