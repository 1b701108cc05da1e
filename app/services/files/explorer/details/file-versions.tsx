import { useCallback, useEffect, useRef, useState } from "react";
import type { VersionList } from "../../history/history-contract.server";
import type { StorageClient } from "../../storage-client";
import { asProblem, isAbort, StorageProblem } from "../../storage-problem";
import { saveFile } from "../../transfers/save-file";
import { useLanguage } from "../language";
import { problemText } from "../problem-details";
import { Failure } from "./failure";

type Version = VersionList["versions"][number];

export interface VersionAbilities {
  mayDownload: boolean;
  mayRestore: boolean;
  mayPurge: boolean;
}

interface FileVersionsProps extends VersionAbilities {
  client: StorageClient;
  /** changes when the file's content does: then the versions are loaded again */
  file: { key: string; etag: string };
  /** the file has another content now */
  onRestored(): void;
}

/** The versions of a file, newest first: who made them and when. Each can be downloaded, made the newest again, or deleted for ever. */
export default function FileVersions({ client, file, onRestored, ...abilities }: FileVersionsProps) {
  const { t } = useLanguage();
  const { versions, cursor, state, reload, loadMore } = useVersions(client, file);
  const [said, say] = useState<{ sentence: string; isAlert: boolean } | null>(null);
  const [busy, setBusy] = useState<string | null>(null);

  const carryOut = async (versionId: string, work: () => Promise<unknown>, done?: string) => {
    setBusy(versionId);
    say(null);
    try {
      await work();
      if (done !== undefined) say({ sentence: done, isAlert: false });
    } catch (error) {
      say({ sentence: problemText(t, asProblem(error).code), isAlert: true });
    } finally {
      setBusy(null);
    }
  };
  const download = ({ versionId }: Version) =>
    carryOut(versionId, () =>
      saveFile(client, { key: file.key, versionId }, (error) =>
        say({ sentence: problemText(t, asProblem(error).code), isAlert: true }),
      ),
    );
  const restore = ({ versionId }: Version) =>
    carryOut(
      versionId,
      async () => {
        await untilDone((cursor) =>
          client.call("restore", {
            items: [{ key: file.key, versionId }],
            onConflict: "replace",
            cursor,
          }),
        );
        onRestored();
        reload();
      },
      t("versions.restored"),
    );
  const purge = ({ versionId }: Version) =>
    carryOut(
      versionId,
      async () => {
        await untilDone((cursor) => client.call("purge", { items: [{ key: file.key, versionId }], cursor }));
        reload();
      },
      t("versions.purged"),
    );

  if (state === "loading" && versions.length === 0) return <p className="file-activity">{t("loading")}</p>;
  if (state instanceof StorageProblem)
    return <Failure text={problemText(t, state.code)} retry={t("retry")} onRetry={reload} />;
  return (
    <div className="versions" aria-busy={state === "loading"}>
      {versions.length < 2 && <p>{t("versions.none")}</p>}
      <ol className="versions__list">
        {versions.map((version) => (
          <VersionEntry
            key={version.versionId}
            version={version}
            isBusy={busy === version.versionId}
            {...abilities}
            onDownload={() => download(version)}
            onRestore={() => restore(version)}
            onPurge={() => purge(version)}
          />
        ))}
      </ol>
      {cursor !== null && (
        <button type="button" className="button button--small" onClick={loadMore}>
          {t("versions.older")}
        </button>
      )}
      <p className="versions__said" role={said?.isAlert ? "alert" : "status"}>
        {said?.sentence}
      </p>
    </div>
  );
}

interface VersionEntryProps extends VersionAbilities {
  version: Version;
  isBusy: boolean;
  onDownload(): void;
  onRestore(): void;
  onPurge(): void;
}

function VersionEntry({ version, isBusy, mayDownload, mayRestore, mayPurge, ...events }: VersionEntryProps) {
  const { t, formats } = useLanguage();
  const { lastModified, size, isLatest, visitor } = version;
  const [isAsking, setAsking] = useState(false);
  const ask = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAsking) ask.current?.focus();
  }, [isAsking]);
  const when = formats.dateTime(lastModified);
  const button = (label: string, onClick: () => void) => (
    <button
      type="button"
      className="link-button"
      aria-label={t("versions.of", { action: label, when })}
      aria-disabled={isBusy}
      onClick={() => !isBusy && onClick()}
    >
      {label}
    </button>
  );
  return (
    <li className="versions__entry">
      <p>
        <time dateTime={lastModified}>{when}</time>
        {isLatest && <span className="versions__latest">{t("versions.latest")}</span>}
      </p>
      <p className="versions__facts">
        {formats.size(size)}
        {visitor && (
          <>
            {" · "}
            <bdi>{visitor.name ?? visitor.id}</bdi>
          </>
        )}
      </p>
      {isAsking ? (
        <p className="versions__buttons" role="alert">
          {t("versions.purgeQuestion")}{" "}
          <button ref={ask} type="button" className="link-button" onClick={() => setAsking(false)}>
            {t("changes.cancel")}
          </button>
          {button(t("versions.purge"), () => {
            setAsking(false);
            events.onPurge();
          })}
        </p>
      ) : (
        <p className="versions__buttons">
          {mayDownload && button(t("download"), events.onDownload)}
          {mayRestore && !isLatest && button(t("versions.restore"), events.onRestore)}
          {mayPurge && !isLatest && button(t("versions.purge"), () => setAsking(true))}
        </p>
      )}
    </li>
  );
}

/** Sends a request with the cursor of its response until nothing is left to do. @throws StorageProblem if the file was left as it is */
async function untilDone(
  send: (cursor: string | undefined) => Promise<{ failed: readonly unknown[]; cursor: string | null }>,
): Promise<void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { failed, cursor: next } = await send(cursor);
    if (failed.length > 0) throw new StorageProblem("failed");
    cursor = next;
  }
}

function useVersions(client: StorageClient, { key, etag }: FileVersionsProps["file"]) {
  const [versions, setVersions] = useState<readonly Version[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [state, setState] = useState<"loading" | "loaded" | StorageProblem>("loading");
  const [attempt, setAttempt] = useState(0);

  const load = useCallback(
    async (after: string | undefined, signal?: AbortSignal) => {
      setState("loading");
      try {
        const page = await client.call("versions", { key, cursor: after }, signal);
        setVersions((before) => (after === undefined ? page.versions : [...before, ...page.versions]));
        setCursor(page.cursor);
        setState("loaded");
      } catch (error) {
        if (!isAbort(error)) setState(asProblem(error));
      }
    },
    [client, key],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another ETag or attempt asks again
  useEffect(() => {
    const stop = new AbortController();
    void load(undefined, stop.signal);
    return () => stop.abort();
  }, [load, etag, attempt]);
  return {
    versions,
    cursor,
    state,
    reload: () => setAttempt((count) => count + 1),
    loadMore: () => void load(cursor ?? undefined),
  };
}
