import { type ReactNode, useCallback, useEffect, useLayoutEffect, useState } from "react";
import { folderOf, isFolderContent, type Row, rowId } from "../browse/folder/folder-state";
import type { Navigation } from "../browse/folder/use-navigation";
import { mayReplace } from "../place/actions";
import { isInside, joinPath } from "../place/folder-path";
import type { ExplorerProps } from "../place/props";
import { focusList } from "../screen/focus-list";
import { useLanguage } from "../screen/language";
import { type Change, rowIn } from "./change";
import { ChangeList } from "./change-list";
import { ChangeNoticeBar } from "./change-notice";
import { ClipboardBar, useClipboard } from "./clipboard";
import { DestinationDialog } from "./destination-dialog";
import { NewFolderDialog } from "./new-folder-dialog";
import { Question } from "./questions";
import { RenameField } from "./rename-field";
import { type ChangeQueueState, useChangeQueue, useChangeWords } from "./use-change-queue";
import type { Changes, Command, PendingCommand } from "./use-changes";

/** What copies or moves rows. */
const transfers: readonly Command[] = ["rename", "move", "copy", "cut", "clip", "drop"];

/** The menu or dialog that is open, one at a time. */
type Open = PendingCommand & { place?: HTMLElement };

/** What a menu of the open folder, or of rows, can do. */
export interface MenuTools {
  onCommand(command: PendingCommand): void;
  /** null if nothing can be pasted here */
  onPaste: (() => void) | null;
  onClose(): void;
}

export interface ChangesPanelProps extends ChangeQueueState {
  props: Pick<ExplorerProps, "bucket" | "rootPath" | "uploadFolder" | "actions">;
  navigation: Pick<Navigation, "crumbs">;
  changes: Pick<Changes, "takeCommands" | "setDimmed" | "may">;
  /** Renders the menu that the person has opened: of rows or, without any, of the open folder. */
  renderMenu(opened: PendingCommand, tools: MenuTools): ReactNode;
}

/** Everything that changes files and folders: dialogs, the queue of changes, its progress and its notices. */
export function ChangesPanel({ renderMenu, ...explorer }: ChangesPanelProps) {
  const { t } = useLanguage();
  const words = useChangeWords();
  const { props, client, folder, list, showRows, navigation } = explorer;
  const { takeCommands, setDimmed, may } = explorer.changes;
  const [open, setOpen] = useState<Open | null>(null);
  const close = useCallback(() => setOpen(null), []);
  const { queue, add, changes, createFolder, undoOrRedo, notice, removeNotice } = useChangeQueue(explorer);
  const { rootPath, uploadFolder } = props;
  // Of two folders, one in the other, the inner one: what is around it may not be read, or not be changed.
  const top = uploadFolder === null || isInside(rootPath, uploadFolder) ? rootPath : uploadFolder;

  const transfer = (way: "move" | "copy", items: readonly Row[], to: string) => {
    const [first] = items;
    if (!first) return;
    const from = folderOf(first);
    // A copy in the same folder needs another name.
    void add({ action: way, items, from, to, choice: from === to ? "keep-both" : undefined });
  };
  const clipboard = useClipboard(folder.path, may, transfer);
  const carryOut = (one: PendingCommand) => {
    const { command, rows, time } = one;
    const [first] = rows;
    const content = transfers.includes(command) && rows.find(isFolderContent);
    if (content)
      return explorer.setNotice({ about: "change", sentence: "folderContent", name: content.name });
    if (command === "new-folder" || (command === "menu" && !first)) return setOpen(one);
    if (command === "paste") return clipboard.paste();
    if (command === "undo" || command === "redo") return void undoOrRedo(command);
    if (!first) return;
    if (one.drop) return transfer(one.drop.way, rows, one.drop.to);
    if (command === "cut" || command === "clip")
      return clipboard.keep(command === "cut" ? "move" : "copy", rows);
    if (command === "delete") {
      const from = folderOf(first);
      const items = queue.notBeingDeleted(rows);
      if (items.length > 0) void add({ action: "delete", items, from, to: from });
      return;
    }
    if (command === "restore" || command === "purge")
      return void add({ action: command, items: rows, from: folder.path, to: folder.path, time });
    const index = list.rows.findIndex((row) => rowId(row) === rowId(first));
    const place =
      document.querySelector<HTMLElement>(`[data-row="${index}"] :is(.row__name, .tile__name)`) ?? undefined;
    if (command === "rename") list.selection.only(rowId(first));
    setOpen({ ...one, place });
  };
  // Before the browser's next event: what is typed right after F2 belongs into the field.
  useLayoutEffect(() => {
    for (const one of takeCommands()) carryOut(one);
  });

  // Rows that a dialog asks about stay legible: people read them before they answer.
  const isDimming = ({ action, status }: Change) =>
    action !== "copy" && status !== "asking" && status !== "failed";
  const dimmed = [...clipboard.cut, ...changes.filter(isDimming).flatMap(idsOf)];
  const key = dimmed.join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new array in every rendering; `key` says whether its content has changed
  useEffect(() => setDimmed(new Set(dimmed)), [key, setDimmed]);

  const asking = changes.find(({ status }) => status === "asking");
  const [first] = open?.rows ?? [];
  const way = open?.command === "move" || open?.command === "copy" ? open.command : null;
  return (
    <>
      <ClipboardBar {...clipboard} />
      <ChangeList changes={changes} queue={queue} />
      {notice && (
        <ChangeNoticeBar
          key={notice.id}
          notice={notice}
          onRemove={removeNotice}
          onNext={({ way, undoable }) => void undoOrRedo(way, undoable)}
        />
      )}
      {open?.command === "menu" &&
        renderMenu(open, {
          onCommand: carryOut,
          onPaste: clipboard.canPaste ? clipboard.paste : null,
          onClose: close,
        })}
      {open?.command === "new-folder" && (
        <NewFolderDialog
          folderPath={folder.path}
          others={folder.rows}
          onClose={close}
          onCreate={async (name) => {
            const why = await createFolder(folder.path, name);
            if (why !== null) return why;
            close();
            showRows.show([joinPath(folder.path, name)], { force: true });
            return null;
          }}
        />
      )}
      {open?.command === "rename" && first && open.place && (
        <RenameField
          row={first}
          place={open.place}
          folderPath={folderOf(first)}
          others={folder.rows}
          onClose={(isByKey) => {
            if (isByKey) focusList();
            close();
            if (isByKey) showRows.show([rowId(first)], { force: true });
          }}
          onRename={async (name, isByKey) => {
            const from = folderOf(first);
            const ended = await add({ action: "rename", items: [first], from, to: from, name });
            if (ended.status === "failed") queue.dismiss(ended.id);
            if (ended.problem?.details.serverCode === "name_taken") return t("changes.nameTaken", { name });
            // The field has no list of files with their reasons.
            const [failure, ...others] = ended.failed;
            if (failure !== undefined && others.length === 0) return words.failure(failure.code);
            if (ended.status === "failed") return words.note(ended);
            // The field goes away, and its row may move.
            if (isByKey) focusList();
            close();
            if (isByKey) showRows.show([rowId(rowIn(from, first, name))], { force: true });
            return null;
          }}
        />
      )}
      {open && way && first && (
        <DestinationDialog
          client={client}
          way={way}
          rows={open.rows}
          from={folderOf(first)}
          root={{
            path: top,
            name: navigation.crumbs.find(({ path }) => path === top)?.name ?? words.folderName(top),
          }}
          onCreate={createFolder}
          onClose={close}
          onChoose={(to) => {
            close();
            transfer(way, open.rows, to);
          }}
        />
      )}
      {asking && (
        <Question key={asking.id} change={asking} queue={queue} mayReplace={mayReplace(props.actions)} />
      )}
    </>
  );
}

const idsOf = ({ items }: { items: readonly Row[] }) => items.map(rowId);
