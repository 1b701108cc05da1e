import { useEffect, useRef, useState } from "react";
import { isInside, joinPath } from "../../folder-path";
import type { Upload } from "../../transfers/upload";
import { rowId } from "../folder/folder-state";
import type { Folder } from "../folder/use-folder";
import type { List } from "../folder/use-list";
import type { Navigation } from "../folder/use-navigation";
import { scrollToRow } from "../scroll-to-row";

export interface ArrivalOptions {
  folder: Pick<Folder, "path">;
  list: Pick<List, "rows" | "filter" | "selection">;
  navigation: Pick<Navigation, "open" | "leaveSearch">;
}

/**
 * When all uploads have ended, scrolls to what has arrived in the open folder and selects it; if the person has done anything else meanwhile,
 * offers to.
 * @param isPending uploads are running or waiting
 * @returns shows what has arrived, with its folder; null if there is nothing to offer
 */
export function useArrivals(
  uploads: readonly Upload[],
  isPending: boolean,
  { folder, list, navigation }: ArrivalOptions,
): (() => void) | null {
  /** uploads that have been shown or offered */
  const known = useRef(new Set<number>());
  const [offered, setOffered] = useState<Upload[]>([]);
  /** rows to show as soon as they are in the list of their folder */
  const wish = useRef<{ folderPath: string; ids: ReadonlySet<string>; focus: boolean } | null>(null);
  const isBusyElsewhere = useBusyElsewhere(uploads.at(-1)?.id);

  const select = (arrived: readonly Upload[], folderPath: string, focus: boolean) => {
    const ids = new Set(arrived.flatMap((upload) => rowIdIn(folderPath, upload) ?? []));
    list.selection.set(ids);
    wish.current = { folderPath, ids, focus };
  };

  useEffect(() => {
    if (uploads.length === 0 && offered.length > 0) setOffered([]);
    if (isPending) return;
    const arrived = uploads.filter(({ id, status }) => status === "done" && !known.current.has(id));
    if (arrived.length === 0) return;
    for (const { id } of arrived) known.current.add(id);
    const isHere = arrived.some(({ folderPath }) => isInside(folderPath, folder.path));
    if (isHere && list.filter === "" && !isBusyElsewhere()) select(arrived, folder.path, false);
    else setOffered(arrived);
  });

  // No dependencies: any rendering may be the one that adds the rows.
  useEffect(() => {
    if (wish.current?.folderPath !== folder.path) wish.current = null;
    if (wish.current === null) return;
    const { ids, focus } = wish.current;
    const index = list.rows.findIndex((row) => ids.has(rowId(row)));
    if (index === -1) return;
    wish.current = null;
    scrollToRow(index, list.rows.length, focus);
  });

  const [first] = offered;
  if (!first) return null;
  return () => {
    setOffered([]);
    const isHere = isInside(first.folderPath, folder.path);
    const target = isHere ? folder.path : first.folderPath;
    if (!isHere) navigation.open(target, rowIdIn(target, first));
    else if (list.filter !== "") navigation.leaveSearch();
    select(offered, target, true);
  };
}

/** The row that an upload has added to a folder: the file, or the subfolder that it went into. */
function rowIdIn(openPath: string, { folderPath, name, isFolder }: Upload): string | undefined {
  if (!isInside(folderPath, openPath)) return undefined;
  const path = joinPath(folderPath, name);
  const [child = "", ...deeper] = path.slice(openPath === "/" ? 1 : openPath.length + 1).split("/");
  return isFolder || deeper.length > 0 ? joinPath(openPath, child) : path.slice(1);
}

const modifiers = ["Shift", "Control", "Alt", "Meta"];

/**
 * Whether the person has pressed, clicked or scrolled anything but the trays since the last upload was added.
 * @param newest the id of that upload
 */
function useBusyElsewhere(newest: number | undefined): () => boolean {
  const isBusy = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins anew with each upload
  useEffect(() => {
    isBusy.current = false;
  }, [newest]);
  useEffect(() => {
    const notice = (event: Event) => {
      const { target } = event;
      if (event instanceof KeyboardEvent && modifiers.includes(event.key)) return;
      if (!(target instanceof Element && target.closest(".tray"))) isBusy.current = true;
    };
    const types = ["pointerdown", "keydown", "wheel", "touchmove"];
    for (const type of types) document.addEventListener(type, notice, { capture: true, passive: true });
    return () => {
      for (const type of types) document.removeEventListener(type, notice, { capture: true });
    };
  }, []);
  return () => isBusy.current;
}
