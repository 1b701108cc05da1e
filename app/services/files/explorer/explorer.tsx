import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useAppearance } from "../../../embed/frame/use-appearance";
import { useResizeMessage } from "../../../embed/frame/use-resize-message";
import { useSession } from "../../../embed/frame/use-session";
import { isInside } from "../folder-path";
import { contentHeight } from "./content-height";
import { useDownloads } from "./downloads/use-downloads";
import { Breadcrumbs } from "./folder/breadcrumbs";
import { lastSegment, parentFolder } from "./folder/crumbs";
import { arrangeRows, rowId, type Sort, type SortColumn } from "./folder/folder-state";
import { FolderView } from "./folder/folder-view";
import { StatusBar } from "./folder/status-bar";
import { useFolder } from "./folder/use-folder";
import { FileGrid } from "./grid/file-grid";
import { useSelection } from "./grid/use-selection";
import { IconSheet } from "./icons";
import { LanguageContext, languageFor } from "./language";
import { ProblemDetails } from "./problem-details";
import type { ExplorerProps } from "./props";
import { PauseState } from "./states";
import { StorageClient, type StorageProblem } from "./storage-client";
import { Toolbar } from "./toolbar";
import { droppedFiles } from "./uploads/dropped-files";
import { UploadPanel } from "./uploads/upload-panel";
import { useFileDrop } from "./uploads/use-file-drop";
import { useUploads } from "./uploads/use-uploads";
import { useAnnouncements } from "./use-announcements";

const SERVICE = "files";
const PreviewDialog = lazy(() => import("./preview/preview-dialog"));

/** The file explorer inside the frame. */
export function Explorer(props: ExplorerProps) {
  const { bucket, rootPath, uploadFolder } = props;
  const { host, session, state: sessionState } = useSession(SERVICE, props);
  const locale = useAppearance(host, props);
  const [client] = useState(() => new StorageClient(session, bucket, { development: props.development }));
  const language = useLanguageOf(locale);
  const { messages, formats } = language;

  const folder = useFolder(client, props);
  const [filter, setFilter] = useState("");
  const [sort, setSort] = useState<Sort>({ column: "name", descending: false });
  const [previewed, setPreviewed] = useState<string | null>(null);
  const [notice, setNotice] = useState<{ text: string; problem: StorageProblem } | null>(null);
  const main = useRef<HTMLDivElement>(null);
  const root = useRef<HTMLDivElement>(null);
  /** where the focus goes once the folder being opened is there */
  const focusNext = useRef<string | boolean>(false);

  const rows = useMemo(
    () => arrangeRows(folder.rows, filter, sort, formats.compare),
    [folder.rows, filter, sort, formats],
  );
  const selection = useSelection(rows);
  const { announcement, announce } = useAnnouncements(language, folder, filter, rows.length);
  const selected = useMemo(
    () => folder.rows.filter((row) => selection.ids.has(rowId(row))),
    [folder.rows, selection.ids],
  );
  useResizeMessage(host, root, contentHeight);

  const { queue, uploads } = useUploads(client, {
    isKnown: (folderPath, name) =>
      folderPath === folder.path && folder.rows.some((row) => row.type === "file" && row.name === name),
    onDone(upload, key) {
      const lastModified = new Date(session.clock.now() * 1000).toISOString();
      folder.arrived(upload.folderPath, {
        name: upload.name,
        key,
        size: upload.size,
        lastModified,
        etag: "",
      });
      announce(messages.announcements.uploaded(upload.name));
      host.post({
        type: "platform.embed.upload-complete",
        service: SERVICE,
        bucket,
        key,
        size: upload.size,
      });
    },
    onFailed(upload) {
      announce(messages.announcements.uploadFailed(upload.name));
      const code = upload.problem?.code ?? "failed";
      host.post({ type: "platform.embed.upload-failed", service: SERVICE, name: upload.name, code });
    },
  });

  const canUpload = uploadFolder === null || isInside(folder.path, uploadFolder);
  const folderName = folder.path === rootPath && rootPath === "/" ? messages.root : lastSegment(folder.path);
  const addFiles = (files: File[]) => queue.add(files.map((file) => ({ file, folderPath: folder.path })));
  const drop = useFileDrop((data) => {
    if (canUpload) void droppedFiles(data, folder.path).then((files) => queue.add(files));
  });

  const openFolder = (path: string) => {
    focusNext.current =
      isInside(folder.path, path) && path !== folder.path ? childTowards(path, folder.path) : true;
    main.current?.focus({ preventScroll: true });
    setFilter("");
    selection.clear();
    folder.open(path);
    host.post({ type: "platform.embed.navigate", service: SERVICE, path });
  };

  const download = useDownloads(client, {
    onStarted: (name) => announce(messages.announcements.downloadStarted(name)),
    onFailed: (name, problem) =>
      setNotice({ text: messages.downloadFailed(name, messages.problems[problem.code]), problem }),
  });

  const sortBy = (column: SortColumn) => {
    // A person who sorts by date or size wants the newest or the largest first.
    const descending = sort.column === column ? !sort.descending : column !== "name";
    setSort({ column, descending });
    const { announcements } = messages;
    announce(
      announcements.sorted(messages[column], descending ? announcements.descending : announcements.ascending),
    );
  };

  const ready = folder.phase !== "loading" && !(folder.problem && folder.rows.length === 0);
  const itemCount = messages.items(folder.rows.length, formats.number(folder.rows.length));
  useEffect(() => {
    if (!ready || focusNext.current === false) return;
    focusNext.current = false;
    announce(messages.announcements.opened(folderName, itemCount));
  }, [ready, announce, messages, folderName, itemCount]);

  const pause =
    sessionState.status === "ended" || (sessionState.status === "not-renewed" && sessionState.expired);
  const parent = parentFolder(folder.path, rootPath);
  const previewRow = folder.rows.find((row) => rowId(row) === previewed);

  return (
    <LanguageContext.Provider value={language}>
      <div ref={root} className="explorer" {...drop.handlers}>
        <IconSheet />
        <header className="head">
          <Breadcrumbs path={folder.path} rootPath={rootPath} onOpen={openFolder} />
          <Toolbar
            filter={filter}
            onFilter={setFilter}
            refreshing={folder.phase === "refreshing"}
            onRefresh={folder.refresh}
            canUpload={canUpload}
            onFiles={addFiles}
          />
        </header>
        <noscript>
          <p className="hint">{messages.withoutScript}</p>
        </noscript>
        {!canUpload && uploadFolder !== null && (
          <p className="hint">
            {messages.uploadElsewhere(uploadFolder)}{" "}
            {isInside(uploadFolder, rootPath) && (
              <button type="button" className="link-button" onClick={() => openFolder(uploadFolder)}>
                {messages.goThere}
              </button>
            )}
          </p>
        )}
        <main className="main" ref={main} tabIndex={-1} aria-busy={folder.phase === "loading"}>
          <FolderView
            folder={folder}
            rows={rows}
            filter={filter}
            onClearFilter={() => setFilter("")}
            onFiles={canUpload ? addFiles : null}
            onUp={parent === null ? null : () => openFolder(parent)}
          >
            <FileGrid
              key={folder.path}
              label={messages.folderOf(folderName)}
              rows={rows}
              more={folder.nextCursor !== null}
              sort={sort}
              onSort={sortBy}
              selection={selection}
              onOpen={(row) => (row.type === "folder" ? openFolder(row.path) : setPreviewed(rowId(row)))}
              onDownload={(row) => void download([row])}
              onUp={() => parent !== null && openFolder(parent)}
              focus={focusNext.current}
            />
          </FolderView>
          {pause && (
            <div className="main__cover">
              <PauseState state={sessionState} onRetry={() => session.renew()} />
            </div>
          )}
        </main>
        {ready && folder.rows.length > 0 && (
          <StatusBar
            folder={folder}
            shown={rows.length}
            selected={selected}
            onDownload={(files) => void download(files)}
            onClear={selection.clear}
          />
        )}
        {sessionState.expired && sessionState.status === "renewing" && (
          <p className="renewing">{messages.renewing}</p>
        )}
        {uploads.length > 0 && <UploadPanel queue={queue} uploads={uploads} />}
        {notice !== null && (
          <div className="notice" role="alert">
            <p>
              {notice.text}
              <ProblemDetails problem={notice.problem} />
            </p>
            <button type="button" className="link-button" onClick={() => setNotice(null)}>
              {messages.dismiss}
            </button>
          </div>
        )}
        {drop.over && (
          <div className={`drop${canUpload ? "" : " drop--refused"}`}>
            <p>{canUpload ? messages.dropHere(folderName) : messages.noDropHere(uploadFolder ?? "")}</p>
          </div>
        )}
        {previewRow?.type === "file" && (
          <Suspense fallback={null}>
            <PreviewDialog
              file={previewRow}
              files={rows.filter((row) => row.type === "file")}
              client={client}
              onShow={setPreviewed}
              onDownload={(row) => void download([row])}
            />
          </Suspense>
        )}
        <p className="visually-hidden" role="status" aria-live="polite">
          {announcement}
        </p>
      </div>
    </LanguageContext.Provider>
  );
}

/** In the first rendering, times are in UTC, as on the server; after that in the reader's own zone. */
function useLanguageOf(locale: string) {
  const [timeZone, setTimeZone] = useState<string | undefined>("UTC");
  useEffect(() => setTimeZone(undefined), []);
  return useMemo(() => languageFor(locale, timeZone), [locale, timeZone]);
}

/** The entry of `folder` through which one came from `path`, somewhere below it. */
function childTowards(folder: string, path: string): string {
  const from = folder === "/" ? 1 : folder.length + 1;
  const end = path.indexOf("/", from);
  return end === -1 ? path : path.slice(0, end);
}
