import {
  asFilesError,
  type FilesClient,
  FilesError,
  isAddressable,
  type Row,
} from "platform-embed-element/client";
import { useRef, useState } from "react";
import type { FrameSession } from "../../../embed/frame/use-session";
import { visibleText } from "../../../locales/visible-text";
import { untilChecked } from "../browse/checks/when-checked";
import { deletedFilesOf } from "../browse/folder/deleted-rows";
import type { Folder } from "../browse/folder/use-folder";
import { contentOf } from "../place/content-of";
import { type ExplorerProps, SERVICE } from "../place/props";
import { useLanguage } from "../screen/language";
import type { SetNotice } from "../screen/notice";
import { saveFile } from "./save-file";
import type { ArchiveDownloads, Download } from "./zip/archive-downloads";

/** What the first archive needs. */
type ArchiveCode = Pick<typeof import("./zip/archive-downloads"), "ArchiveDownloads"> &
  Pick<typeof import("./download-panel"), "DownloadPanel">;

export type Downloads = ReturnType<typeof useDownloads>;

/** Downloads of what the open folder shows, in the past too: a single file by its URL; several files or folders as one zip archive. */
export function useDownloads(
  client: FilesClient,
  { embeddingPage }: Pick<FrameSession, "embeddingPage">,
  { bucket, actions, onlyChecked }: Pick<ExplorerProps, "bucket" | "actions" | "onlyChecked">,
  { path, time, rows: inView }: Pick<Folder, "path" | "time" | "rows">,
  announce: (sentence: string) => void,
  setNotice: SetNotice,
  loadArchiveCode: () => Promise<ArchiveCode>,
) {
  const { t } = useLanguage();
  /** null until the first archive */
  const [open, setOpen] = useState<{ archives: ArchiveDownloads; code: ArchiveCode } | null>(null);
  const archives = useRef<ArchiveDownloads | null>(null);

  const complete = (files: number, size: number) =>
    embeddingPage.post({ type: "platform.embed.download-complete", service: SERVICE, bucket, files, size });
  const events = {
    onDone({ fileName, fileCount, size }: Download) {
      announce(t("announcements.downloaded", { name: fileName }));
      complete(fileCount, size);
    },
  };
  const latest = useRef(events);
  latest.current = events;

  const startFile = async ({ name, size, ...file }: Extract<Row, { type: "file" }>) => {
    const fail = (error: unknown) => setNotice({ about: "download", name, problem: asFilesError(error) });
    if (!isAddressable(file.key)) return fail(new FilesError("not_addressable"));
    const waiting = new AbortController();
    try {
      await saveFile(client, contentOf(file), fail).catch(async (error: unknown) => {
        const problem = asFilesError(error);
        if (problem.code !== "being_checked") throw error;
        const notice = { about: "download", name, problem, stop: () => waiting.abort() } as const;
        setNotice(notice);
        await untilChecked(client, file, waiting.signal);
        setNotice((shown) => (shown === notice ? null : shown));
        await saveFile(client, contentOf(file), fail, waiting.signal);
      });
    } catch (error) {
      return waiting.signal.aborted ? undefined : fail(error);
    }
    announce(t("announcements.downloadStarted", { name }));
    complete(1, size);
  };
  const startArchive = async (rows: Row[]) => {
    const isDeleted = time.kind === "deleted";
    const items = isDeleted ? deletedFilesOf(rows, inView, path) : rows;
    const at = time.kind === "at" ? time.moment : undefined;
    const [first] = rows;
    const only = rows.length === 1 && first?.type === "folder" ? first.name : undefined;
    try {
      const code = await loadArchiveCode();
      archives.current ??= new code.ArchiveDownloads(client, () => latest.current);
      setOpen({ archives: archives.current, code });
      announce(t("announcements.downloadPreparing"));
      const fileName = (count: number) => `${only || t("downloads.files", { count })}.zip`;
      const words = {
        renamedFile: t("downloads.renamedFile"),
        renamedIntro: t("downloads.renamedIntro"),
        longFolder: t("downloads.longFolder"),
        visible: visibleText,
      };
      archives.current.start({ items, at, onlyChecked, words, fileName });
    } catch (error) {
      const name = only ?? t("items", { count: rows.length });
      setNotice({ about: "download", name, problem: asFilesError(error) });
    }
  };
  return {
    allowed: actions.includes("download"),
    start(rows: Row[]) {
      const [row] = rows;
      void (rows.length === 1 && row?.type === "file" ? startFile(row) : startArchive(rows));
    },
    open,
  };
}
