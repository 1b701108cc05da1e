// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: lists that are a tree
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the tree has the keyboard for all of its items
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { TypeAhead } from "../grid/type-ahead";
import { FileIcon, Icon } from "../icons";
import { useLanguage } from "../language";
import { sideways } from "../reading-direction";
import type { TreeLine } from "./tree-state";
import type { useFolderTree } from "./use-folder-tree";

interface FolderTreeProps {
  label: string;
  tree: ReturnType<typeof useFolderTree>;
  /** the path of the chosen folder */
  chosen: string;
  onChoose(path: string): void;
  /** Enter, or a double click: the dialog's answer */
  onSubmit(): void;
}

const idOf = ({ kind, path }: TreeLine) => `${kind} ${path}`;

/** Folders to choose one of. https://www.w3.org/WAI/ARIA/apg/patterns/treeview/ */
export function FolderTree({ label, tree, chosen, onChoose, onSubmit }: FolderTreeProps) {
  const { t } = useLanguage();
  const list = useRef<HTMLUListElement>(null);
  const active = useRef("");
  const { lines, setOpen, load } = tree;
  const [typing] = useState(() => new TypeAhead());
  const tabStop = lines.some((line) => idOf(line) === active.current) ? active.current : `folder ${chosen}`;

  // What had the focus may have been replaced: "More folders" by the folders that it has loaded.
  useEffect(() => {
    const element = list.current;
    if (element && active.current !== "" && document.activeElement === document.body)
      element.querySelector<HTMLElement>("[tabindex='0']")?.focus();
  });

  const go = (line: TreeLine | undefined) => {
    if (!line) return;
    active.current = idOf(line);
    if (line.kind === "folder") onChoose(line.path);
    const index = lines.indexOf(line);
    const element = list.current?.children[index];
    if (element instanceof HTMLElement) element.focus();
  };
  const act = (line: TreeLine) => (line.kind === "folder" ? onSubmit() : void load(line.path));
  const parentOf = (index: number) =>
    lines
      .slice(0, index)
      .filter(({ level }) => level === (lines[index]?.level ?? 0) - 1)
      .at(-1);

  const onKeyDown = (event: KeyboardEvent) => {
    const index = [...(list.current?.children ?? [])].indexOf(event.target as Element);
    const line = lines[index];
    if (!line || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowDown") go(lines[index + 1]);
    else if (event.key === "ArrowUp") go(lines[index - 1]);
    else if (event.key === "Home") go(lines[0]);
    else if (event.key === "End") go(lines.at(-1));
    else if (event.key === sideways().down && line.isOpen === false) setOpen(line.path, true);
    else if (event.key === sideways().down && line.isOpen) go(lines[index + 1]);
    else if (event.key === sideways().up && line.isOpen) setOpen(line.path, false);
    else if (event.key === sideways().up) go(parentOf(index));
    else if (typing.takes(event.key, index)) go(lines[typing.find(lines, event.key, index)]);
    else if (event.key === "Enter" || event.key === " ") act(line);
    else return;
    event.preventDefault();
  };

  return (
    <ul ref={list} className="tree" role="tree" aria-label={label} onKeyDown={onKeyDown}>
      {lines.map((line) => {
        const { kind, path, name, level, isOpen, isLoading, position, siblings } = line;
        const id = idOf(line);
        const isChosen = kind === "folder" && path === chosen;
        return (
          <li
            key={id}
            role="treeitem"
            className="tree__item"
            style={{ paddingInlineStart: `${level * 20 - 12}px` }}
            aria-level={level}
            aria-expanded={isOpen ?? undefined}
            aria-selected={isChosen}
            aria-busy={isLoading || undefined}
            aria-posinset={position}
            aria-setsize={siblings}
            tabIndex={id === tabStop ? 0 : -1}
            onClick={() => {
              go(line);
              if (kind !== "folder") void load(path);
            }}
            onDoubleClick={() => kind === "folder" && onSubmit()}
          >
            {isOpen === null ? (
              <span className="tree__twist" />
            ) : (
              <span
                className="tree__twist"
                aria-hidden="true"
                onClick={(event) => {
                  event.stopPropagation();
                  setOpen(path, !isOpen);
                }}
              >
                <Icon name="chevron" />
              </span>
            )}
            {kind === "folder" ? (
              <>
                <FileIcon kind="folder" />
                <span className="tree__name">
                  <bdi>{name}</bdi>
                </span>
              </>
            ) : (
              <span className={kind === "failed" ? "tree__failed" : "tree__more"}>
                {t(kind === "failed" ? "changes.foldersFailed" : "changes.moreFolders")}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
