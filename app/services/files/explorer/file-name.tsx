import type { HTMLAttributes } from "react";

/** As long as the extensions that people know a file by; `.`, if anything is before it. */
const EXTENSION = /(?<=.)\.[\p{L}\p{N}]{1,8}$/u;

interface FileNameProps extends HTMLAttributes<HTMLElement> {
  name: string;
}

/** The name of a file or folder, in its own direction. If there is not enough room, it is cut before the extension. */
export function FileName({ name, className = "", ...attributes }: FileNameProps) {
  const [extension = ""] = EXTENSION.exec(name) ?? [];
  return (
    <bdi className={`file-name ${className}`} {...attributes}>
      <span>{name.slice(0, name.length - extension.length)}</span>
      {extension}
    </bdi>
  );
}
