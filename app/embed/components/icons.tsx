import { type ButtonHTMLAttributes, useState } from "react";
import { type IconName, iconSymbols } from "./icon-symbols.server";

export type { IconName };

/**
 * Holds every icon once; the page refers to them by id, which keeps a thousand rows small. The drawings are in the server's HTML only, so
 * that no script contains them a second time.
 * @param own the service's own symbols; in the browser, where `*.server.ts` is empty, undefined
 */
export function IconSheet({ own = "" }: { own?: string | undefined }) {
  const [symbols] = useState(() =>
    typeof document === "undefined"
      ? iconSymbols + own
      : (document.querySelector(".icon-sheet")?.innerHTML ?? ""),
  );
  return (
    <svg
      className="icon-sheet"
      aria-hidden="true"
      // The browser serializes the same SVG differently.
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

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName;
  /** accessible name, and tooltip unless there is a `title` */
  label: string;
}

export function IconButton({ icon, label, className = "", ...attributes }: IconButtonProps) {
  return (
    <button
      type="button"
      className={`icon-button ${className}`}
      aria-label={label}
      title={label}
      {...attributes}
    >
      <Icon name={icon} />
    </button>
  );
}
