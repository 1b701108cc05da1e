import {
  type ConflictChoice,
  type ConflictChoices,
  type FilesClient,
  joinPath,
  type Row,
} from "platform-embed-element/client";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { FileIcon } from "../browse/file-icon";
import { fileKind } from "../browse/file-kind";
import type { Folder } from "../browse/folder/use-folder";
import type { Thumbnails } from "../browse/pictures/thumbnails";
import { useFilePicture } from "../browse/pictures/use-file-picture";
import { useThumbnail } from "../browse/pictures/use-thumbnails";
import { Dialog } from "../screen/dialog";
import { FileName } from "../screen/file-name";
import { useLanguage, useVisibleName } from "../screen/language";

/** More are not decided one by one, nor listed. */
const MAX_ROWS = 1_000;
/** Pages of a folder that are read for the names that are taken in it. */
const MAX_PAGES = 10;

/** A name that is taken, and what comes to it. */
export interface Conflict {
  /** of the item that comes */
  id: string;
  name: string;
  isFolder: boolean;
  /** the folder in which the name is taken */
  folderPath: string;
  /** what comes: a row of the store, or a file of the person's computer; null if only its name is known */
  item: Row | File | null;
}

export interface ConflictContext {
  client: Pick<FilesClient, "list">;
  folder: Pick<Folder, "path" | "rows" | "complete" | "time">;
  thumbnails: Thumbnails | null;
}

interface ConflictDialogProps extends ConflictContext {
  /** it opened by itself */
  alert?: boolean;
  title: string;
  conflicts: readonly Conflict[];
  /** what may be chosen for all, in the order of the buttons; the last one is the suggestion */
  choices: readonly ConflictChoice[];
  mayReplace: boolean;
  onAll(choice: ConflictChoice): void;
  onEach(choices: ConflictChoices): void;
  onCancel(): void;
  /** more sentences */
  children?: ReactNode;
}

/** Asks what to do with files whose names are taken: once for all of them, or for each one. Shows what is there beside what comes. */
export function ConflictDialog(props: ConflictDialogProps) {
  const { alert, title, conflicts, choices, mayReplace, onAll, onEach, onCancel, children } = props;
  const { t } = useLanguage();
  const [isForEach, setForEach] = useState(false);
  const [decided, setDecided] = useState<ConflictChoices>(new Map());
  const shown = conflicts.slice(0, MAX_ROWS);
  const hidden = conflicts.length - shown.length;
  // More conflicts may come while they are being decided.
  const isEach = isForEach && hidden === 0;
  const taken = useTaken(props, shown);
  const single = (["keep-both", "replace", "skip"] as const).filter((one) => mayReplace || one !== "replace");
  const choiceFor = ({ id }: Conflict) => decided.get(id) ?? "keep-both";
  return (
    <Dialog alert={alert === true} title={title} className="dialog--conflicts" onClose={onCancel}>
      {children}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who uses the keyboard scrolls it */}
      <section className="conflicts" tabIndex={0} aria-label={t("changes.conflicts")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("changes.there")}</th>
              <th scope="col">{t("changes.coming")}</th>
            </tr>
          </thead>
          {shown.map((conflict) => (
            <ConflictRows
              key={conflict.id}
              conflict={conflict}
              there={taken.get(joinPath(conflict.folderPath, conflict.name))}
              thumbnails={props.thumbnails}
            >
              {isEach && (
                <select
                  className="preview__select"
                  aria-label={t("changes.choiceFor", { name: conflict.name })}
                  value={choiceFor(conflict)}
                  onChange={({ target }) =>
                    setDecided(new Map(decided).set(conflict.id, target.value as ConflictChoice))
                  }
                >
                  {single.map((choice) => (
                    <option key={choice} value={choice}>
                      {t(choiceLabels[choice])}
                    </option>
                  ))}
                </select>
              )}
            </ConflictRows>
          ))}
        </table>
        {hidden > 0 && <p className="dialog__hint">{t("changes.andMore", { count: hidden })}</p>}
      </section>
      {conflicts.length > 1 && hidden === 0 && (
        <label className="dialog__check">
          <input type="checkbox" checked={isForEach} onChange={() => setForEach(!isForEach)} />
          {t("changes.forEach")}
        </label>
      )}
      <div className="dialog__buttons">
        <button type="button" className="button dialog__aside" onClick={onCancel}>
          {t("changes.cancel")}
        </button>
        {isEach ? (
          <button
            type="button"
            className="button button--primary"
            onClick={() => onEach(new Map(conflicts.map((conflict) => [conflict.id, choiceFor(conflict)])))}
          >
            {t("changes.continue")}
          </button>
        ) : (
          choices.map((choice, index) => (
            <button
              key={choice}
              type="button"
              className={index === choices.length - 1 ? "button button--primary" : "button"}
              onClick={() => onAll(choice)}
            >
              {t(choiceLabels[choice])}
            </button>
          ))
        )}
      </div>
    </Dialog>
  );
}

const choiceLabels = {
  replace: "changes.replace",
  "keep-both": "changes.keepBoth",
  skip: "changes.skip",
} as const;

type FileRow = Extract<Row, { type: "file" }>;

const withoutPicture: Row = { type: "folder", name: "", path: "" };

interface ConflictRowsProps {
  conflict: Conflict;
  /** what has the name; undefined while it is not known */
  there: FileRow | undefined;
  thumbnails: Thumbnails | null;
  children: ReactNode;
}

/** The name, and below it what is there and what comes. */
function ConflictRows({ conflict, there, thumbnails, children }: ConflictRowsProps) {
  const { name, isFolder, item } = conflict;
  const element = useRef<HTMLTableSectionElement>(null);
  const ofThere = useThumbnail(element, there ?? withoutPicture, thumbnails);
  const ofRow = useThumbnail(
    element,
    item instanceof File ? withoutPicture : (item ?? withoutPicture),
    thumbnails,
  );
  const ofFile = useFilePicture(element, item instanceof File ? item : null);
  const visibleName = useVisibleName()(name);
  return (
    <tbody ref={element}>
      <tr>
        {/* Without what is chosen beside it. */}
        <th scope="rowgroup" colSpan={2} aria-label={visibleName}>
          <div className="conflicts__name" title={visibleName}>
            <FileIcon kind={isFolder ? "folder" : fileKind(name)} />
            <FileName name={name} />
            {children}
          </div>
        </th>
      </tr>
      <tr>
        <td>
          <Facts facts={there && { size: there.size, date: there.lastModified }} picture={ofThere} />
        </td>
        <td>
          <Facts facts={factsOf(item)} picture={ofRow ?? ofFile} />
        </td>
      </tr>
    </tbody>
  );
}

interface FileFacts {
  /** bytes */
  size: number;
  /** RFC 3339 */
  date: string;
}

function factsOf(item: Conflict["item"]): FileFacts | undefined {
  if (item instanceof File) return { size: item.size, date: new Date(item.lastModified).toISOString() };
  return item?.type === "file" ? { size: item.size, date: item.lastModified } : undefined;
}

function Facts({ facts, picture }: { facts: FileFacts | undefined; picture: string | null }) {
  const { formats } = useLanguage();
  return (
    <div className="conflicts__facts">
      {picture && <img src={picture} alt="" decoding="async" />}
      <span>
        {facts ? formats.size(facts.size) : "–"}
        {facts && <br />}
        {facts && <time dateTime={facts.date}>{formats.dateAndTime(facts.date)}</time>}
      </span>
    </div>
  );
}

/**
 * The files that have the names, by their paths. Those of the open folder are known, once all of it is listed. Other folders are listed once;
 * a name that is not found within some pages is left out, as all are in a folder that may not be read.
 */
function useTaken(
  { client, folder }: Pick<ConflictContext, "client" | "folder">,
  conflicts: readonly Conflict[],
): ReadonlyMap<string, FileRow> {
  const [found, setFound] = useState<ReadonlyMap<string, FileRow>>(new Map());
  const known = useMemo(() => {
    const inFolder = folder.rows.flatMap((row) => (row.type === "file" ? [row] : []));
    return new Map(inFolder.map((file) => [joinPath(folder.path, file.name), file] as const));
  }, [folder.path, folder.rows]);
  const isNow = folder.time.kind === "now";
  const isKnown = (path: string) => path === folder.path && isNow && folder.complete;
  /** paths of folders whose names have been read, or cannot be */
  const ended = useRef(new Set<string>());
  const unknown = conflicts.filter(({ isFolder, folderPath }) => !isFolder && !isKnown(folderPath));
  const wanted = [...new Set(unknown.map(({ folderPath }) => folderPath))].join("\n");
  useEffect(() => {
    const abort = new AbortController();
    const read = async (path: string) => {
      let pages = 0;
      for await (const { rows } of client.list(path, { signal: abort.signal })) {
        const entries = rows.flatMap((row) =>
          row.type === "file" ? [[joinPath(path, row.name), row] as const] : [],
        );
        setFound((before) => new Map([...before, ...entries]));
        if (++pages === MAX_PAGES) break;
      }
    };
    const readAll = async () => {
      for (const path of wanted.split("\n").filter(Boolean)) {
        if (ended.current.has(path)) continue;
        // The question can be answered without.
        await read(path).catch(() => {});
        if (abort.signal.aborted) return;
        ended.current.add(path);
      }
    };
    void readAll();
    return () => abort.abort();
  }, [client, wanted]);
  return isNow ? new Map([...found, ...known]) : found;
}
