import { useEffect, useState } from "react";
import { isBelow } from "../../folder-path";
import type { StorageClient } from "../../storage-client";
import type { Row } from "../folder/folder-state";
import type { Folder } from "../folder/use-folder";
import type { ExplorerProps } from "../props";

export type Details = ReturnType<typeof useDetails>;

/** Room for a panel beside the list. `dialogs.css` has the same width. */
const ROOM_FOR_PANEL = "(min-width: 900px)";
const STORAGE_KEY = "platform-embed-details";

/**
 * Details of rows: a panel at the side where there is room, otherwise a dialog. Whether the panel is open is remembered where the browser
 * allows a frame storage.
 */
export function useDetails(
  client: StorageClient,
  { actions, uploadFolder, rootPath }: Pick<ExplorerProps, "actions" | "uploadFolder" | "rootPath">,
  folder: Pick<Folder, "refresh">,
) {
  /** a new object for each request */
  const [requested, setRequested] = useState<{ row: Row } | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [hasRoom, setHasRoom] = useState(false);
  const [isActivityOpen, setActivityOpen] = useState(false);
  const [areVersionsOpen, setVersionsOpen] = useState(false);
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
  return {
    /** the row that details were asked for; null in the panel when it follows the selection */
    requested,
    /** null if the token does not allow it */
    activity: actions.includes("activity")
      ? { client, isOpen: isActivityOpen, setOpen: setActivityOpen }
      : null,
    /** null if the token does not allow it */
    versions: actions.includes("history")
      ? {
          client,
          isOpen: areVersionsOpen,
          setOpen: setVersionsOpen,
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
    show(row: Row) {
      setRequested({ row });
      if (hasRoom) setPanel(true);
    },
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
