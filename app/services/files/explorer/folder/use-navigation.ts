import { useEffect, useRef, useState } from "react";
import type { HostPage } from "../../../../embed/frame/host-page";
import { keepPlace, keptPlace } from "../../../../embed/frame/kept-place";
import { isInside, issueOfFolderPath } from "../../folder-path";
import { useLanguage } from "../language";
import { type ExplorerProps, SERVICE } from "../props";
import { breadcrumbs } from "./crumbs";
import { addEntry, listenForFolder, markEntry } from "./history";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";

export type Navigation = ReturnType<typeof useNavigation>;

interface NavigationEvents {
  announce(sentence: string): void;
  /** the open folder is being left */
  onLeave(): void;
}

/** Going from folder to folder: where the focus goes, who learns of it, and what Back and a reload lead to. */
export function useNavigation(
  host: HostPage,
  { rootPath, startPath, pathRefused, uploadFolder, placeKey }: ExplorerProps,
  folder: Folder,
  list: List,
  { announce, onLeave }: NavigationEvents,
) {
  const { t } = useLanguage();
  const main = useRef<HTMLDivElement>(null);
  /** what has the focus once the folder being opened is there: a row's id, `true` for the first, false for none */
  const focus = useRef<string | boolean>(false);
  /** the row that had the focus before something was searched for; null for none */
  const returnTo = useRef<string | null>(null);

  /** a folder that could not be opened: outside of what may be seen, or gone */
  const [notice, setNotice] = useState<"pathOutside" | "folderGone" | null>(
    pathRefused ? "pathOutside" : null,
  );
  /** the folder being opened that was there before: Back, Forward or a reload leads to it; null for any other */
  const returnsTo = useRef<string | null>(null);

  const crumbs = breadcrumbs(folder.path, rootPath, t("root"));
  /** What has the focus, a row or a button, is about to go away. Where the page around has it, it stays there. */
  const moveFocus = (to: string | boolean) => {
    focus.current = document.hasFocus() && to;
    if (focus.current !== false) main.current?.focus({ preventScroll: true });
  };
  /** @param row which gets the focus there; else that of the folder that one comes back from, or the first */
  const show = (path: string, row?: string) => {
    onLeave();
    const above = crumbs.findIndex((crumb) => crumb.path === path);
    moveFocus(row ?? (above === -1 ? undefined : crumbs[above + 1]?.path) ?? true);
    list.setFilter("");
    list.selection.clear();
    folder.open(path);
    keepPlace(placeKey, path === startPath ? null : path);
    host.post({ type: "platform.embed.navigate", service: SERVICE, path });
  };
  const open = (path: string, row?: string) => {
    addEntry(path);
    setNotice(null);
    returnsTo.current = null;
    show(path, row);
  };
  const goBackTo = (path: string) => {
    if (!isInside(path, rootPath)) return;
    show(path);
    // These two may have been nothing from the beginning.
    returnsTo.current = path === startPath || path === uploadFolder ? null : path;
  };

  const latest = useRef({ goBackTo, show });
  latest.current = { goBackTo, show };
  useEffect(() => {
    const kept = keptPlace(placeKey);
    const isKept = kept !== null && issueOfFolderPath(kept) === null && isInside(kept, startPath);
    markEntry(isKept ? kept : startPath);
    if (isKept) latest.current.goBackTo(kept);
    return listenForFolder((path) => latest.current.goBackTo(path));
  }, [startPath, placeKey]);

  useEffect(() => {
    if (folder.phase !== "ready" || folder.path !== returnsTo.current) return;
    returnsTo.current = null;
    if (folder.exists) return;
    markEntry(rootPath);
    latest.current.show(rootPath);
    setNotice("folderGone");
  }, [folder.path, folder.phase, folder.exists, rootPath]);

  const name = crumbs.at(-1)?.name ?? "";
  const parent = crumbs.at(-2)?.path;
  const items = t("items", { count: folder.rows.length });
  useEffect(() => {
    if (!folder.listed || focus.current === false) return;
    focus.current = false;
    announce(t("announcements.opened", { folder: name, items }));
  }, [folder.listed, announce, t, name, items]);

  const openParent = parent === undefined ? null : () => open(parent);
  const retry = () => {
    moveFocus(true);
    folder.refresh();
  };
  const leaveSearch = () => {
    moveFocus(returnTo.current ?? true);
    list.setFilter("");
  };
  const search = { returnTo, leaveSearch };
  const notices = { notice, dismissNotice: () => setNotice(null) };
  return { ...notices, main, crumbs, name, focus: focus.current, open, openParent, retry, ...search };
}
