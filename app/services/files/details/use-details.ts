import { type FilesClient, isBelow, type Row } from "platform-embed-element/client";
import { useEffect, useState } from "react";
import type { Folder } from "../browse/folder/use-folder";
import type { SizesOfFolders } from "../browse/sizes/use-folder-sizes";
import type { ExplorerProps } from "../place/props";
import type { ViewedVersions } from "./file-versions";

export type Details = ReturnType<typeof useDetails>;

/** Room for a panel beside the list. `dialogs.css` has the same width. */
const ROOM_FOR_PANEL = "(min-width: 900px)";
const STORAGE_KEY = "platform-embed-details";

/**
 * Details of rows: a panel at the side where there is room, otherwise a dialog. Whether the panel is open is remembered where the browser
 * allows a frame storage.
 */
export function useDetails(
  client: FilesClient,
  { actions, uploadFolder, rootPath }: Pick<ExplorerProps, "actions" | "uploadFolder" | "rootPath">,
  folder: Pick<Folder, "refresh" | "time">,
  sizes: SizesOfFolders | null,
) {
  /** a new object for each request */
  const [requested, setRequested] = useState<{ row: Row; section?: "versions" } | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [hasRoom, setHasRoom] = useState(false);
  const [isActivityOpen, setActivityOpen] = useState(false);
  const [areVersionsOpen, setVersionsOpen] = useState(false);
  const [viewed, setViewed] = useState<ViewedVersions | null>(null);
  useEffect(() => {
    try {
      setOpen(localStorage.getItem(STORAGE_KEY) === "open");
    } catch {}
    const room = matchMedia(ROOM_FOR_PANEL);
    const look = () => {
      setHasRoom(room.matches);
      // Otherwise a dialog would open by itself when the frame becomes narrower.
      setRequested(null);
    };
    look();
    room.addEventListener("change", look);
    return () => room.removeEventListener("change", look);
  }, []);
  const setPanel = (open: boolean) => {
    setOpen(open);
    try {
      localStorage.setItem(STORAGE_KEY, open ? "open" : "closed");
    } catch {}
  };
  const show = (row: Row, section?: "versions") => {
    setRequested({ row, section });
    if (hasRoom) setPanel(true);
  };
  return {
    /** the row that details were asked for; null in the panel when it follows the selection */
    requested,
    /** of folders as they are now; null if the platform does not know them */
    sizes: folder.time.kind === "now" ? sizes : null,
    /** null if the token does not allow it */
    activity: actions.includes("activity")
      ? { client, isOpen: isActivityOpen, setOpen: setActivityOpen }
      : null,
    /** null if the token does not allow it, or the bucket keeps no versions */
    versions: actions.includes("history")
      ? {
          client,
          isOpen: areVersionsOpen,
          setOpen: setVersionsOpen,
          /** the request that asked for this section, for a new object each time */
          asked: requested?.section === "versions" ? requested : null,
          onView: setViewed,
          onRestored: folder.refresh,
          abilitiesFor: (key: string) => ({
            mayDownload: actions.includes("download"),
            mayRestore: isBelow(`/${key}`, uploadFolder ?? rootPath),
            mayPurge: actions.includes("purge") && isBelow(`/${key}`, uploadFolder ?? rootPath),
          }),
        }
      : null,
    hasPanel: hasRoom && isOpen,
    hasDialog: !hasRoom && requested !== null,
    /** what is shown above the explorer of the versions of a file */
    viewed,
    setViewed,
    show: (row: Row) => show(row),
    /** Shows the details with the versions of a file. Undefined where there are none. */
    showVersions: actions.includes("history")
      ? (row: Row) => {
          setVersionsOpen(true);
          show(row, "versions");
        }
      : undefined,
    /** The panel follows the selection again. */
    follow: () => setRequested(null),
    toggle() {
      setRequested(null);
      setPanel(!isOpen);
    },
    close() {
      setRequested(null);
      if (hasRoom) setPanel(false);
    },
  };
}
