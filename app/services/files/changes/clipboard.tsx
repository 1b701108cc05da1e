import { useRef, useState } from "react";
import { Icon, IconButton } from "../../../embed/components/icons";
import { folderOf, type Row, rowId } from "../browse/folder/folder-state";
import { isInside } from "../place/folder-path";
import { focusList } from "../screen/focus-list";
import { useLanguage } from "../screen/language";
import type { Changes } from "./use-changes";

/** The content of the clipboard until it is pasted, with a button to paste it. */
export function ClipboardBar({ clipboard, canPaste, paste, clear }: ReturnType<typeof useClipboard>) {
  const { t } = useLanguage();
  if (clipboard === null || clipboard.isPasted) return null;
  const { way, rows } = clipboard;
  const leave = (act: () => void) => {
    act();
    // The bar disappears.
    focusList();
  };
  return (
    <section className="clipboard" aria-label={t("changes.clipboard")}>
      <Icon name={way === "move" ? "cut" : "copy"} />
      <p>{t(`changes.ready.${way}`, { count: rows.length, name: rows[0]?.name ?? "" })}</p>
      <button
        type="button"
        className="button button--small"
        aria-disabled={!canPaste}
        aria-keyshortcuts="Control+V"
        onClick={() => canPaste && leave(paste)}
      >
        <Icon name="paste" />
        {t("changes.paste")}
      </button>
      <IconButton icon="close" label={t("changes.clearClipboard")} onClick={() => leave(clear)} />
    </section>
  );
}

interface Clipboard {
  way: "move" | "copy";
  rows: readonly Row[];
  from: string;
  /** has been pasted at least once */
  isPasted: boolean;
}

/** The clipboard for files and folders. It exists in this page only. @param transfer moves or copies rows to a folder */
export function useClipboard(
  openFolder: string,
  may: Changes["may"],
  transfer: (way: Clipboard["way"], rows: readonly Row[], to: string) => void,
) {
  const [clipboard, setClipboard] = useState<Clipboard | null>(null);
  /** A ref, because copy and paste may both be carried out in one rendering, when they were asked for before this code was loaded. */
  const latest = useRef(clipboard);
  const set = (kept: Clipboard | null) => {
    latest.current = kept;
    setClipboard(kept);
  };
  const mayPaste = ({ way, rows, from }: Clipboard) => {
    const isItself = rows.some((row) => row.type === "folder" && isInside(openFolder, row.path));
    return may.paste && !isItself && !(way === "move" && from === openFolder);
  };

  const paste = () => {
    const kept = latest.current;
    if (kept === null || !mayPaste(kept)) return;
    transfer(kept.way, kept.rows, openFolder);
    // As on a desktop, copied files can be pasted again.
    set(kept.way === "move" ? null : { ...kept, isPasted: true });
  };

  return {
    clipboard,
    canPaste: clipboard !== null && mayPaste(clipboard),
    paste,
    clear: () => set(null),
    keep(way: Clipboard["way"], rows: readonly Row[]) {
      const [first] = rows;
      if (first) set({ way, rows, from: folderOf(first), isPasted: false });
    },
    /** ids of cut rows */
    cut: clipboard?.way === "move" ? clipboard.rows.map(rowId) : [],
  };
}
