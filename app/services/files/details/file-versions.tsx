import { asFilesError, type FilesClient, FilesError, isAbort } from "platform-embed-element/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { IconButton } from "../../../embed/components/icons";
import { saveFile } from "../downloads/save-file";
import type { VersionList } from "../place/contract/history-contract.server";
import type { FileEntry } from "../place/contract/storage-contract.server";
import { planPreview } from "../preview/preview-plan";
import { type Translate, useLanguage } from "../screen/language";
import { Menu, type MenuEntry, type Point, pointBelow } from "../screen/menu";
import { problemText } from "../screen/problem-details";
import { VisitorName } from "../screen/visitor-name";
import { Failure } from "./failure";

export type Version = VersionList["versions"][number];

/** The ids of two versions to compare. */
export interface VersionPair {
  before: string;
  after: string;
}

/** What a person looks at of the versions of a file: one of them, or two beside each other. */
export interface ViewedVersions {
  file: FileEntry;
  /** newest first, as far as they are loaded */
  versions: readonly Version[];
  /** `preview`: the id of one */
  shown: { preview: string } | VersionPair;
}

interface VersionAbilities {
  mayDownload: boolean;
  mayRestore: boolean;
  mayPurge: boolean;
}

interface FileVersionsProps extends VersionAbilities {
  client: FilesClient;
  /** when its ETag changes, the versions are loaded again */
  file: FileEntry;
  /** the file has another content now */
  onRestored(): void;
  onView(viewed: ViewedVersions): void;
}

/**
 * The versions of a file, newest first: who made them and when. Each can be made the newest again, looked at, downloaded, or deleted for
 * ever. Texts can be compared. The first of what can be done is a button, and a menu has the rest.
 */
export function FileVersions({ client, file, onRestored, onView, ...abilities }: FileVersionsProps) {
  const { t, formats } = useLanguage();
  const { versions, hasMore, state, reload, loadMore } = useVersions(client, file);
  const [said, say] = useState<{ sentence: string; isAlert: boolean } | null>(null);
  const [busy, setBusy] = useState<string | null>(null);

  const carryOut = async (versionId: string, work: () => Promise<unknown>, done?: string) => {
    setBusy(versionId);
    say(null);
    try {
      await work();
      if (done !== undefined) say({ sentence: done, isAlert: false });
    } catch (error) {
      say({ sentence: failureText(t, error), isAlert: true });
    } finally {
      setBusy(null);
    }
  };
  const download = ({ versionId }: Version) =>
    carryOut(versionId, () =>
      saveFile(client, { key: file.key, versionId }, (error) =>
        say({ sentence: problemText(t, asFilesError(error)), isAlert: true }),
      ),
    );
  // Of a deleted file, no version is the current one.
  const isDeleted = !versions.some(({ isLatest }) => isLatest);
  const minuteOf = ({ lastModified }: Version) => formats.dateTime(lastModified);
  // They are in the order of their times.
  const hasTwin = (version: Version, index: number) =>
    [versions[index - 1], versions[index + 1]].some(
      (other) => other !== undefined && minuteOf(other) === minuteOf(version),
    );
  const restoreVersion = ({ versionId }: Version) =>
    carryOut(
      versionId,
      async () => {
        await client.history.restoreVersion({ key: file.key, versionId });
        onRestored();
        reload();
      },
      t(isDeleted ? "versions.undeleted" : "versions.restored"),
    );
  const purge = ({ versionId }: Version) =>
    carryOut(
      versionId,
      async () => {
        await client.history.purge({ key: file.key, versionId });
        reload();
      },
      t("versions.purged"),
    );

  if (state === "loading" && versions.length === 0) return <p className="file-activity">{t("loading")}</p>;
  if (state instanceof FilesError)
    return <Failure text={problemText(t, state)} retry={t("retry")} onRetry={reload} />;
  return (
    <div className="versions" aria-busy={state === "loading"}>
      {/* A deleted file has only older ones. */}
      {(versions.length === 0 || (versions.length === 1 && !isDeleted)) && <p>{t("versions.none")}</p>}
      <ol className="versions__list">
        {versions.map((version, index) => (
          <VersionEntry
            key={version.versionId}
            version={version}
            hasTwin={hasTwin(version, index)}
            isDeleted={isDeleted}
            comparison={comparisonOf(file, versions, index)}
            isBusy={busy === version.versionId}
            {...abilities}
            onView={(shown) => onView({ file, versions, shown })}
            onDownload={() => download(version)}
            onRestore={() => restoreVersion(version)}
            onPurge={() => purge(version)}
          />
        ))}
      </ol>
      {hasMore && (
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

/**
 * What a version is compared with by its button: an older one with the current one, the current one with the one before. Null for files
 * that are no texts, and for the only version.
 */
function comparisonOf(file: FileEntry, versions: readonly Version[], index: number): VersionPair | null {
  // An empty version can be compared, too.
  if (planPreview(file.name, 1).show !== "text") return null;
  const version = versions[index];
  const current = versions.find(({ isLatest }) => isLatest);
  if (version && current && current !== version)
    return { before: version.versionId, after: current.versionId };
  const previous = versions[index + 1];
  return version && previous ? { before: previous.versionId, after: version.versionId } : null;
}

interface VersionEntryProps extends VersionAbilities {
  version: Version;
  /** another one was made in the same minute */
  hasTwin: boolean;
  isDeleted: boolean;
  comparison: VersionPair | null;
  isBusy: boolean;
  onView(shown: ViewedVersions["shown"]): void;
  onDownload(): void;
  onRestore(): void;
  onPurge(): void;
}

function VersionEntry({ version, hasTwin, isDeleted, comparison, isBusy, ...props }: VersionEntryProps) {
  const { t, formats } = useLanguage();
  const { mayDownload, mayRestore, mayPurge, ...events } = props;
  const { versionId, lastModified, size, isLatest, visitor } = version;
  const [isAsking, setAsking] = useState(false);
  const [menuAt, setMenuAt] = useState<Point | null>(null);
  const ask = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAsking) ask.current?.focus();
  }, [isAsking]);
  const when = hasTwin ? formats.dateTimeSeconds(lastModified) : formats.dateTime(lastModified);
  const nameOf = (action: string) => t("versions.of", { action, when });
  const button = ({ name, run, isDangerous }: Pick<MenuEntry, "name" | "run" | "isDangerous">) => (
    <button
      type="button"
      className={isDangerous ? "link-button link-button--danger" : "link-button"}
      aria-label={nameOf(name)}
      aria-disabled={isBusy}
      onClick={() => !isBusy && run()}
    >
      {name}
    </button>
  );
  const entries: MenuEntry[] = [];
  if (mayRestore && !isLatest)
    entries.push({
      name: t(isDeleted ? "versions.undelete" : "versions.restore"),
      icon: "undo",
      run: events.onRestore,
    });
  if (mayDownload) {
    entries.push({
      name: t("changes.preview"),
      icon: "eye",
      run: () => events.onView({ preview: versionId }),
    });
    if (comparison)
      entries.push({
        name: t(comparison.after === versionId ? "versions.comparePrevious" : "versions.compareCurrent"),
        icon: "list",
        run: () => events.onView(comparison),
      });
    entries.push({ name: t("download"), icon: "download", run: events.onDownload });
  }
  const purge = { name: t("versions.purge"), isDangerous: true };
  if (mayPurge && !isLatest)
    entries.push({ ...purge, icon: "trash", begins: true, run: () => setAsking(true) });
  // What a version is looked for; the others are in the menu.
  const [main, ...others] = entries;
  return (
    <li className="versions__entry">
      <div className="versions__words">
        <p>
          {/* Without the space, Arabic letters on both sides would be joined. */}
          <time dateTime={lastModified}>{when}</time>{" "}
          {isLatest && <span className="versions__latest">{t("versions.latest")}</span>}
        </p>
        <p className="versions__facts">
          {formats.size(size)}
          {visitor && (
            <>
              {" · "}
              <VisitorName visitor={visitor} />
            </>
          )}
        </p>
        {isAsking ? (
          <p className="versions__buttons" role="alert">
            {t("versions.purgeQuestion")}{" "}
            <button ref={ask} type="button" className="link-button" onClick={() => setAsking(false)}>
              {t("changes.cancel")}
            </button>
            {button({
              ...purge,
              run() {
                setAsking(false);
                events.onPurge();
              },
            })}
          </p>
        ) : (
          main && <p className="versions__buttons">{button(main)}</p>
        )}
      </div>
      {others.length > 0 && (
        <IconButton
          icon="more"
          className="versions__more"
          aria-haspopup="menu"
          aria-disabled={isBusy}
          label={nameOf(t("changes.more"))}
          title={t("changes.more")}
          onClick={({ currentTarget }) => !isBusy && setMenuAt(pointBelow(currentTarget))}
        />
      )}
      {menuAt && (
        <Menu
          label={nameOf(t("changes.more"))}
          entries={others}
          at={menuAt}
          onClose={() => setMenuAt(null)}
        />
      )}
    </li>
  );
}

const saidFailures = ["is_latest", "would_be_lost", "not_found"] as const;

/** Why it has not been done: the service has left the version as it is (docs/contract.md#history), or could not be asked. */
function failureText(t: Translate, error: unknown): string {
  const problem = asFilesError(error);
  const said = saidFailures.find((code) => code === problem.code);
  return said ? t(`versions.failures.${said}`) : problemText(t, problem);
}

function useVersions(client: FilesClient, { key, etag }: FileVersionsProps["file"]) {
  const [versions, setVersions] = useState<readonly Version[]>([]);
  const [hasMore, setHasMore] = useState(false);
  const [state, setState] = useState<"loading" | "loaded" | FilesError>("loading");
  const [attempt, setAttempt] = useState(0);
  const pages = useRef<ReturnType<FilesClient["history"]["versions"]>>();

  const loadPage = useCallback(async (isFirst: boolean) => {
    setState("loading");
    try {
      const page = await pages.current?.next();
      if (!page || page.done) return;
      setVersions((before) => (isFirst ? page.value.versions : [...before, ...page.value.versions]));
      setHasMore(page.value.cursor !== null);
      setState("loaded");
    } catch (error) {
      if (!isAbort(error)) setState(asFilesError(error));
    }
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another ETag or attempt asks again
  useEffect(() => {
    const stop = new AbortController();
    pages.current = client.history.versions({ key }, { signal: stop.signal });
    void loadPage(true);
    return () => stop.abort();
  }, [client, key, loadPage, etag, attempt]);
  return {
    versions,
    hasMore,
    state,
    reload: () => setAttempt((count) => count + 1),
    loadMore: () => void loadPage(false),
  };
}
