// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: lists that are a tree
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the tree has the keyboard for all of its items

import { type FilesClient, type FoundRows, isAbort } from "platform-embed-element/client";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Icon } from "../../../embed/components/icons";
import { FileIcon } from "../browse/file-icon";
import { wayTo } from "../browse/folder/breadcrumbs";
import type { FolderEntry } from "../place/contract/storage-contract.server";
import { sideways, useLanguage, useVisibleName } from "../screen/language";
import { TypeAhead } from "../screen/type-ahead";

interface FolderTreeProps {
  label: string;
  tree: ReturnType<typeof useFolderTree>;
  /** the path of the chosen folder */
  chosen: string;
  onChoose(path: string): void;
  /** Enter or a double click: confirm the chosen folder */
  onSubmit(): void;
}

const idOf = ({ kind, path }: TreeLine) => `${kind} ${path}`;

/** A tree to choose a folder from. https://www.w3.org/WAI/ARIA/apg/patterns/treeview/ */
export function FolderTree({ label, tree, chosen, onChoose, onSubmit }: FolderTreeProps) {
  const { t } = useLanguage();
  const visibleName = useVisibleName();
  const list = useRef<HTMLUListElement>(null);
  const active = useRef("");
  const { lines, setOpen, load } = tree;
  const [typing] = useState(() => new TypeAhead());
  const tabStop = lines.some((line) => idOf(line) === active.current) ? active.current : `folder ${chosen}`;

  // The focused item may have been replaced: "More folders" by the loaded folders.
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
                  <bdi>{visibleName(name)}</bdi>
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

/** The folders below `root`, loaded as they are opened. @param path opened at the beginning */
export function useFolderTree(client: FilesClient, root: FolderEntry, path: string) {
  const [branches, setBranches] = useState<Branches>(new Map());
  const latest = useRef(branches);
  latest.current = branches;
  const ending = useRef<AbortController>();

  const change = (folder: string, next: (before: Branch | undefined) => Branch) =>
    setBranches((all) => new Map(all).set(folder, next(all.get(folder))));

  const load = async (folder: string) => {
    const before = latest.current.get(folder);
    if (before?.status === "loading") return;
    const cursor = before?.cursor ?? null;
    const options = { cursor: cursor ?? undefined, signal: ending.current?.signal };
    change(folder, () => ({ folders: [], cursor, ...before, isOpen: true, status: "loading" }));
    try {
      for await (const page of client.list(folder, options)) {
        change(folder, (branch) => withPage(branch, page));
        // The next one when the person asks for it.
        break;
      }
    } catch (error) {
      if (isAbort(error)) return;
      change(folder, () => ({ folders: [], cursor, ...before, isOpen: true, status: "failed" }));
    }
  };
  const setOpen = (folder: string, isOpen: boolean) => {
    const branch = latest.current.get(folder);
    if (branch) change(folder, () => ({ ...branch, isOpen }));
    else if (isOpen) void load(folder);
  };
  const add = (folder: string, made: FolderEntry) =>
    change(folder, (branch) => ({
      cursor: null,
      ...branch,
      isOpen: true,
      status: "ready",
      folders: [...(branch?.folders ?? []).filter((one) => one.path !== made.path), made],
    }));

  const first = useRef({ load, way: wayTo(path, root.path) });
  useEffect(() => {
    const { load, way } = first.current;
    // One for each run of the effect: in development, React runs it twice.
    const stop = new AbortController();
    ending.current = stop;
    for (const folder of way) void load(folder);
    return () => stop.abort();
  }, []);

  return { lines: linesOf(root, branches), branches, load, setOpen, add };
}

/** A folder whose subfolders have been requested. */
export interface Branch {
  isOpen: boolean;
  status: "loading" | "ready" | "failed";
  folders: readonly FolderEntry[];
  /** of the next page; null when there is none */
  cursor: string | null;
}

type Branches = ReadonlyMap<string, Branch>;

/** A line of the tree. `more`: load further subfolders of `path`; `failed`: try again. */
interface TreeLine {
  kind: "folder" | "more" | "failed";
  path: string;
  name: string;
  /** from 1 */
  level: number;
  /** null if there are no subfolders */
  isOpen: boolean | null;
  isLoading: boolean;
  /** among its siblings, from 1 */
  position: number;
  siblings: number;
}

/** The visible lines, from top to bottom. */
export function linesOf(root: FolderEntry, branches: Branches): TreeLine[] {
  const lines: TreeLine[] = [];
  const add = (folder: FolderEntry, level: number, position: number, siblings: number) => {
    const branch = branches.get(folder.path);
    const isLeaf = branch?.status === "ready" && branch.folders.length === 0 && branch.cursor === null;
    const place = { path: folder.path, name: folder.name, level, position, siblings };
    const isLoading = branch?.status === "loading";
    lines.push({ ...place, kind: "folder", isOpen: isLeaf ? null : (branch?.isOpen ?? false), isLoading });
    if (!branch?.isOpen || isLeaf) return;
    const { folders, cursor, status } = branch;
    const last = status === "failed" ? "failed" : cursor === null ? null : "more";
    const count = folders.length + (last ? 1 : 0);
    for (const [index, child] of folders.entries()) add(child, level + 1, index + 1, count);
    if (last === null || isLoading) return;
    const end = { ...place, level: level + 1, position: count, siblings: count };
    lines.push({ ...end, kind: last, isOpen: null, isLoading: false });
  };
  add(root, 1, 1, 1);
  return lines;
}

export function withPage(
  before: Branch | undefined,
  { rows, cursor }: Pick<FoundRows, "rows" | "cursor">,
): Branch {
  const known = new Map(before?.folders.map((folder) => [folder.path, folder]));
  for (const row of rows) {
    if (row.type === "folder") known.set(row.path, { name: row.name, path: row.path });
  }
  return { isOpen: true, status: "ready", folders: [...known.values()], cursor };
}
