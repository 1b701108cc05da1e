import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useLanguage } from "../language";
import type { Crumb } from "./crumbs";

/** The folders that have no room in the line, behind a button in their place. */
export function FoldedCrumbs({ crumbs, open }: { crumbs: Crumb[]; open(path: string): void }) {
  const { t } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const items = () => [...(menu.current?.querySelectorAll("button") ?? [])];

  useEffect(() => {
    if (isOpen) menu.current?.querySelector("button")?.focus();
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const targets: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const target = targets[event.key];
    if (target !== undefined) all.at(target % all.length)?.focus();
    else if (event.key === "Escape") {
      setOpen(false);
      button.current?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className="crumb crumb--folded"
        aria-label={t("foldedFolders")}
        title={t("foldedFolders")}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        …
      </button>
      {isOpen && (
        <div
          ref={menu}
          role="menu"
          className="crumbs__menu"
          aria-label={t("foldedFolders")}
          onKeyDown={onKeyDown}
          onBlur={({ relatedTarget }) => {
            if (relatedTarget !== button.current && !menu.current?.contains(relatedTarget)) setOpen(false);
          }}
        >
          {crumbs.map(({ name, path }) => (
            <button key={path} type="button" role="menuitem" tabIndex={-1} onClick={() => open(path)}>
              <bdi>{name}</bdi>
            </button>
          ))}
        </div>
      )}
    </>
  );
}
