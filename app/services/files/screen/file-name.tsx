import type { HTMLAttributes } from "react";
import { useVisibleName } from "./language";

/** As long as the extensions that people know a file by; `.`, if anything is before it. */
const EXTENSION = /(?<=.)\.[\p{L}\p{N}]{1,8}$/u;

interface FileNameProps extends HTMLAttributes<HTMLElement> {
  name: string;
}

/** The name of a file or folder, in its own direction, with what is invisible in it. If there is not enough room, it is cut before the extension. */
export function FileName({ name, className = "", ...attributes }: FileNameProps) {
  const shown = useVisibleName()(name);
  const [extension = ""] = EXTENSION.exec(shown) ?? [];
  return (
    <bdi className={`file-name ${className}`} {...attributes}>
      <span>{shown.slice(0, shown.length - extension.length)}</span>
      {extension}
    </bdi>
  );
}
