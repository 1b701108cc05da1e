import {
  asFilesError,
  type FilesClient,
  folderOf,
  isInside,
  joinPath,
  rowId,
  rowIn,
} from "platform-embed-element/client";
import type { ReactNode } from "react";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import type { Navigation } from "../browse/folder/use-navigation";
import type { ShowRows } from "../browse/folder/use-show-rows";
import type { Thumbnails } from "../browse/pictures/thumbnails";
import { mayReplace } from "../place/actions";
import type { ExplorerProps } from "../place/props";
import { focusList } from "../screen/focus-list";
import { useFolderName } from "../screen/folder-name";
import { useLanguage } from "../screen/language";
import { problemText } from "../screen/problem-details";
import { ChangeList } from "./change-list";
import { ChangeNotice } from "./change-notice";
import { useChangeWords } from "./change-words";
import { ClipboardBar } from "./clipboard";
import { DestinationDialog } from "./destination-dialog";
import { NewFolderDialog } from "./new-folder-dialog";
import { Question } from "./questions";
import { RenameField } from "./rename-field";
import type { ChangeCommands, OpenCommand } from "./use-change-commands";

export interface ChangesPanelProps {
  props: Pick<ExplorerProps, "rootPath" | "uploadFolder" | "actions">;
  client: FilesClient;
  folder: Pick<Folder, "path" | "time" | "rows" | "complete">;
  list: Pick<List, "filter">;
  showRows: ShowRows;
  navigation: Pick<Navigation, "crumbs" | "open" | "leaveSearch">;
  thumbnails: Thumbnails | null;
  announce(sentence: string): void;
  changes: ChangeCommands;
  /** Renders the menu that the person has opened: of rows or, without any, of the open folder. */
  renderMenu(opened: OpenCommand): ReactNode;
}

/** Draws what changes files and folders: dialogs, progress and notices. */
export function ChangesPanel({ renderMenu, ...explorer }: ChangesPanelProps) {
  const { t } = useLanguage();
  const words = useChangeWords();
  const folderName = useFolderName();
  const { props, client, folder, showRows, changes: commands } = explorer;
  const { changes: engine } = client;
  const { changes, open, close, transfer } = commands;
  const { rootPath, uploadFolder } = props;
  // Of two folders, one in the other, the inner one: what is around it may not be read, or not be changed.
  const top = uploadFolder === null || isInside(rootPath, uploadFolder) ? rootPath : uploadFolder;

  /** @returns an error message for the person, or null when the folder has been created */
  const createFolder = async (folderPath: string, name: string): Promise<string | null> => {
    try {
      await engine.createFolder(folderPath, name);
      return null;
    } catch (error) {
      return problemText(t, asFilesError(error));
    }
  };

  const waiting = changes.find(({ status }) => status === "waiting");
  const [first] = open?.rows ?? [];
  const way = open?.command === "move" || open?.command === "copy" ? open.command : null;
  return (
    <>
      <ClipboardBar commands={commands} />
      <ChangeList changes={changes} engine={engine} />
      <ChangeNotice {...explorer} rootPath={rootPath} />
      {open?.command === "menu" && renderMenu(open)}
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
            showRows.keepSelection();
            const ended = await engine.rename(first, name);
            const codes = [ended.error?.code, ...ended.failed.map(({ code }) => code)];
            if (codes.includes("not_found")) {
              // The list shows no such row any more, and so no field: the failed change stays below it and says why.
              if (isByKey) focusList();
              close();
              return null;
            }
            if (ended.status === "failed") engine.dismiss(ended.id);
            if (ended.error?.code === "name_taken") return t("changes.nameTaken", { name });
            // The field has no list of files with their reasons.
            const [failure, ...others] = ended.failed;
            if (failure !== undefined && others.length === 0) return words.failure(failure.code);
            if (ended.status === "failed") return words.note(ended);
            // The field goes away, and its row may move.
            if (isByKey) focusList();
            close();
            if (isByKey) showRows.show([rowId(rowIn(folderOf(first), first, name))], { force: true });
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
          root={{ path: top, name: folderName(top) }}
          onCreate={createFolder}
          onClose={close}
          onChoose={(to) => {
            close();
            transfer(way, open.rows, to);
          }}
        />
      )}
      {waiting && (
        <Question
          key={waiting.id}
          change={waiting}
          engine={engine}
          mayReplace={mayReplace(props.actions)}
          client={client}
          folder={folder}
          thumbnails={explorer.thumbnails}
        />
      )}
    </>
  );
}
