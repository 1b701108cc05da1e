import { isInside, joinPath, now, relativePath, type Upload } from "platform-embed-element/client";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import type { Navigation } from "../browse/folder/use-navigation";
import type { ShowRows } from "../browse/folder/use-show-rows";

export interface ArrivalsProps {
  folder: Pick<Folder, "path" | "time">;
  list: Pick<List, "isFiltered">;
  showRows: ShowRows;
  navigation: Pick<Navigation, "open" | "leaveSearch">;
}

/**
 * When all uploads have ended, shows what has arrived in the open folder; if the person has done anything else meanwhile,
 * offers to.
 * @param isPending uploads are running or waiting
 * @returns shows what has arrived, with its folder; null if there is nothing to offer
 */
export function useArrivals(
  uploads: readonly Upload[],
  isPending: boolean,
  { folder, list, showRows, navigation }: ArrivalsProps,
): (() => void) | null {
  /** uploads that have been shown or offered */
  const announced = useRef(new Set<number>());
  const [offered, setOffered] = useState<Upload[]>([]);
  const isBusyElsewhere = useBusyElsewhere(uploads.at(-1)?.id);
  const isNow = folder.time.kind === "now";

  useEffect(() => {
    if (uploads.length === 0 && offered.length > 0) setOffered([]);
    if (isPending) return;
    const arrived = uploads.filter(({ id, status }) => status === "done" && !announced.current.has(id));
    if (arrived.length === 0) return;
    for (const { id } of arrived) announced.current.add(id);
    const isHere = isNow && arrived.some(({ folderPath }) => isInside(folderPath, folder.path));
    if (isHere && !list.isFiltered && !isBusyElsewhere()) show(showRows, arrived, folder.path, false);
    else setOffered(arrived);
  }, [uploads, isPending, offered, isNow, folder.path, list.isFiltered, showRows, isBusyElsewhere]);

  const [first] = offered;
  if (!first) return null;
  return () => {
    setOffered([]);
    const isHere = isNow && isInside(first.folderPath, folder.path);
    const target = isHere ? folder.path : first.folderPath;
    if (!isHere) navigation.open(target, rowIdIn(target, first), now);
    else if (list.isFiltered) navigation.leaveSearch();
    show(showRows, offered, target, true);
  };
}

function show(showRows: ShowRows, arrived: readonly Upload[], folderPath: string, force: boolean): void {
  const ids = arrived.flatMap((upload) => rowIdIn(folderPath, upload) ?? []);
  showRows.keepSelection();
  showRows.show(ids, { folderPath, force });
}

/** The row that an upload has added to a folder: the file, or the subfolder that it went into. */
function rowIdIn(openPath: string, { folderPath, name, isFolder }: Upload): string | undefined {
  if (!isInside(folderPath, openPath)) return undefined;
  const path = joinPath(folderPath, name);
  const [child = "", ...deeper] = relativePath(path, openPath).split("/");
  return isFolder || deeper.length > 0 ? joinPath(openPath, child) : path.slice(1);
}

const modifiers = ["Shift", "Control", "Alt", "Meta"];

/**
 * Whether the person has pressed, clicked or scrolled anything but the trays since the last upload was added.
 * @param newest the id of that upload
 */
function useBusyElsewhere(newest: number | undefined): () => boolean {
  const isBusy = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it starts again with each upload
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
  return useCallback(() => isBusy.current, []);
}
