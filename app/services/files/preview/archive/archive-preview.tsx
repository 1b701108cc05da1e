import { asFilesError, type FilesClient, nameOf } from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "../../../../embed/components/icons";
import { visibleText } from "../../../../locales/visible-text";
import { RECOGNIZED_BYTES } from "../../browse/content-format";
import type { Encoding } from "../../browse/decode-text";
import { detectEncoding } from "../../browse/detect-encoding";
import { rowRanges, useRowWindow } from "../../browse/grid/use-row-window";
import { damagedOrOther } from "../../browse/recognize-format";
import { type Refusal, runWorker } from "../../browse/run-worker";
import { contentId } from "../../place/content-of";
import type { FileEntry } from "../../place/contract/storage-contract.server";
import { shortenText } from "../../screen/bounded-text";
import { FileName } from "../../screen/file-name";
import { type Translate, useLanguage, useVisibleName } from "../../screen/language";
import { problemCode } from "../../screen/problem-code";
import { problemText } from "../../screen/problem-details";
import { saveBlob } from "../../screen/save-blob";
import { fetchRange } from "../fetch-object";
import { PreviewBar, PreviewNote, PreviewProblem, PreviewWait, RefusedNote } from "../preview-elements";
import { EncodingSelect } from "../text/encoding-select";
import { useLoaded } from "../use-loaded";
import type { ArchiveRequest, DirectoryResponse, EntryResponse } from "./archive.worker";
import {
  findDirectory,
  headerRange,
  MAX_DIRECTORY_BYTES,
  MAX_END_BYTES,
  packedRange,
  pathOf,
  STANDARD_ENCODING,
  type ZipDirectory,
  type ZipEntry,
} from "./read-zip";

/** A directory of the maximum length takes a tenth of this, and so does the largest file. */
const TIMEOUT_MS = 20_000;
/** Longer paths are cut: a browser lays out all of their text. */
const MAX_PATH_LENGTH = 300;

interface ArchivePreviewProps {
  file: FileEntry;
  client: FilesClient;
}

/** The files in a ZIP archive. Only its directory is read, and the parts of the files that are taken out. */
export function ArchivePreview({ file, client }: ArchivePreviewProps) {
  const { t } = useLanguage();
  const opened = useLoaded(
    (signal) => openArchive(client, file, signal),
    [client, contentId(file), file.etag],
  );
  if (opened.state === "loading") return <PreviewWait />;
  if (opened.state === "failed") return <PreviewProblem name={file.name} problem={opened.problem} />;
  const { value } = opened;
  if ("refusal" in value) return <RefusedNote name={file.name} refusal={value.refusal} />;
  if (value.entries.length === 0) return <PreviewNote name={file.name} text={t("preview.archiveEmpty")} />;
  return <Entries file={file} client={client} {...value} />;
}

async function openArchive(client: FilesClient, file: FileEntry, signal: AbortSignal) {
  const start = Math.max(file.size - MAX_END_BYTES, 0);
  const end = await fetchRange(client, file, { start, end: file.size }, signal);
  const directory = directoryOrNull(end, file.size);
  if (directory === null) return { refusal: await refusalOfArchive(client, file, signal) };
  if (directory.end - directory.start > MAX_DIRECTORY_BYTES) return { refusal: "too-complex" as const };
  const isAtHand = directory.start >= start;
  const bytes = isAtHand
    ? end.slice(directory.start - start, directory.end - start)
    : await fetchRange(client, file, directory, signal);
  const request: ArchiveRequest = { bytes, directory };
  const response = await runWorker<DirectoryResponse>("archive", request, TIMEOUT_MS, signal);
  if (response === null) return { refusal: "too-complex" as const };
  if ("refusal" in response) return response;
  return { ...response, directory: bytes, encoding: await guessIfNeeded(response.encoding, signal) };
}

/** Why a file is not shown whose end is not that of an archive. */
async function refusalOfArchive(client: FilesClient, file: FileEntry, signal: AbortSignal): Promise<Refusal> {
  const range = { start: 0, end: Math.min(RECOGNIZED_BYTES, file.size) };
  return damagedOrOther(await fetchRange(client, file, range, signal), "ZIP");
}

/** @param found an encoding, or a sample to guess it from */
async function guessIfNeeded(found: Encoding | Uint8Array | null, signal: AbortSignal) {
  if (found === null || typeof found === "string") return found;
  return (await detectEncoding(found, signal)).encoding ?? STANDARD_ENCODING;
}

function directoryOrNull(end: Uint8Array, size: number): ZipDirectory | null {
  try {
    return findDirectory(end, size);
  } catch {
    return null;
  }
}

interface EntriesProps extends ArchivePreviewProps {
  entries: ZipEntry[];
  /** its bytes */
  directory: Uint8Array;
  isCut: boolean;
  /** of names that do not say theirs; null if there are none */
  encoding: Encoding | null;
}

function Entries({ file, client, entries, directory, isCut, ...archive }: EntriesProps) {
  const { t, formats } = useLanguage();
  const [encoding, chooseEncoding] = useState(archive.encoding);
  const visibleName = useVisibleName();
  const scroller = useRef<HTMLElement>(null);
  const view = useRowWindow(scroller, entries.length);
  const { take, busy, issue } = useTakeOut(client, file);
  return (
    <div className="preview__text">
      {encoding && (
        <PreviewBar>
          <EncodingSelect value={encoding} onChange={chooseEncoding} />
        </PreviewBar>
      )}
      {isCut && <p className="preview__cut">{t("preview.archiveCut", { files: entries.length })}</p>}
      {issue && (
        <p className="preview__cut" role="alert">
          {issue}
        </p>
      )}
      <section
        ref={scroller}
        className="preview__scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
        aria-label={visibleText(file.name)}
      >
        <table className="table archive" aria-rowcount={entries.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">{t("name")}</th>
              <th scope="col">{t("size")}</th>
              <th scope="col">
                <span className="visually-hidden">{t("download")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rowRanges(view, entries.length, -1).map((range) => {
              if ("gap" in range) return <tr key={range.key} style={{ height: range.gap }} />;
              const entry = entries[range.index] as ZipEntry;
              const wholePath = pathOf(entry, directory, encoding);
              const path = visibleName(shortenText(wholePath, MAX_PATH_LENGTH));
              return (
                <tr key={range.index} data-row={range.index} aria-rowindex={range.index + 2}>
                  <td title={path}>
                    <FileName name={path} />
                    {entry.obstacle && (
                      <div className="archive__obstacle">{obstacleText(t, entry.obstacle)}</div>
                    )}
                  </td>
                  <td>{formats.size(entry.size)}</td>
                  <td>
                    {!entry.obstacle && (
                      <IconButton
                        icon="download"
                        label={t("downloadFile", { name: path })}
                        aria-disabled={busy}
                        onClick={() => !busy && void take(entry, wholePath)}
                      />
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function obstacleText(t: Translate, obstacle: NonNullable<ZipEntry["obstacle"]>): string {
  if (obstacle === "protected") return t("preview.entryProtected");
  if (obstacle === "too-large") return t("preview.entryTooLarge");
  return t("preview.entryMethod", { method: obstacle.method });
}

/** Takes one file at a time out of the archive. */
function useTakeOut(client: FilesClient, file: FileEntry) {
  const { t } = useLanguage();
  const [busy, setBusy] = useState(false);
  const [issue, setIssue] = useState<string | null>(null);
  const end = useRef(new AbortController());
  useEffect(() => {
    // React's strict mode runs this twice.
    end.current = new AbortController();
    return () => end.current.abort();
  }, []);
  const take = async (entry: ZipEntry, path: string) => {
    const { signal } = end.current;
    setBusy(true);
    setIssue(null);
    const damaged = t("preview.entryDamaged", { name: shortenText(path, MAX_PATH_LENGTH) });
    try {
      const packed = await fetchPacked(client, file, entry, signal);
      const response = await runWorker<EntryResponse>("archive", { packed, entry }, TIMEOUT_MS, signal, [
        packed.buffer,
      ]);
      if (response === null) setIssue(t("preview.tooComplex"));
      else if ("refusal" in response) setIssue(damaged);
      else if (!signal.aborted) saveBlob(response.file, nameOf(path));
    } catch (error) {
      const problem = asFilesError(error);
      const code = problemCode(problem);
      // The archive has other bytes than its directory says.
      const isDamaged = code === "failed" || code === "changed";
      if (!signal.aborted) setIssue(isDamaged ? damaged : problemText(t, problem));
    } finally {
      setBusy(false);
    }
  };
  return { take, busy, issue };
}

/** An empty file has no bytes to ask for. */
async function fetchPacked(client: FilesClient, file: FileEntry, entry: ZipEntry, signal: AbortSignal) {
  if (entry.packedSize === 0) return new Uint8Array();
  const header = await fetchRange(client, file, headerRange(entry), signal);
  return fetchRange(client, file, packedRange(header, entry), signal, "attachment");
}
