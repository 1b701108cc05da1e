import { asFilesError, type FilesClient, type FilesError, isAbort } from "platform-embed-element/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { type FileFilter, isFiltering } from "../browse/file-filter";
import type { FoundPage } from "../browse/folder/search-hits";
import { isOld } from "../screen/is-old";
import { useLanguage } from "../screen/language";
import { problemCode } from "../screen/problem-code";
import { isSaid, ProblemDetails, problemText } from "../screen/problem-details";

interface SearchRequest {
  folderPath: string;
  text: string;
  filter: FileFilter;
  /** incremented by Enter: search at once, however short the text */
  requests: number;
  /** the folder is being refreshed: search again */
  isStale: boolean;
}

interface SearchBarProps extends SearchRequest {
  client: FilesClient;
  onSearchNow(): void;
  onFound(page: FoundPage): void;
}

/** Progress of the search below the open folder, above the list. */
export function SearchBar({ client, onSearchNow, onFound, ...request }: SearchBarProps) {
  const { t, formats } = useLanguage();
  const { phase, scanned, asOf, problem, stop, resume } = useSearch(client, request, onFound);
  const isHere = phase === "waiting" || phase === "failed";
  const sentence = isHere
    ? t("search.here")
    : asOf === null
      ? t(`search.${phase}`, { count: scanned })
      : t(`search.catalogue.${phase}`);
  return (
    <search className={`search-bar search-bar--${phase}`} aria-label={t("search.progress")}>
      {problem ? (
        <p className="search-bar__text" role="alert">
          {t("search.failed")} {isSaid(problemCode(problem)) && problemText(t, problem)}
          <ProblemDetails problem={problem} />
        </p>
      ) : (
        <p className="search-bar__text">
          {sentence}
          {!isHere && isOld(asOf) && ` ${t("search.catalogue.since", { when: formats.dateAndTime(asOf) })}`}
        </p>
      )}
      {phase === "waiting" && (
        <button type="button" className="link-button" onClick={onSearchNow}>
          {t("search.below")}
        </button>
      )}
      {phase === "running" && (
        <button type="button" className="link-button" onClick={stop}>
          {t("stop")}
        </button>
      )}
      {(phase === "stopped" || phase === "failed") && (
        <button type="button" className="link-button" onClick={resume}>
          {t(phase === "failed" ? "retry" : "search.goOn")}
        </button>
      )}
    </search>
  );
}

/** The search starts this long after the last keystroke. */
const TYPING_PAUSE_MS = 250;

/** `waiting`: for more letters, or for Enter. */
type SearchPhase = "waiting" | "running" | "done" | "stopped" | "failed";

interface SearchState {
  phase: SearchPhase;
  /** number of files compared */
  scanned: number;
  /** the bucket's catalogue was asked: the moment whose files it knows; null: the store was listed, or nothing was asked yet */
  asOf: string | null;
  problem: FilesError | null;
}

const waiting: SearchState = { phase: "waiting", scanned: 0, asOf: null, problem: null };

interface Progress extends Pick<SearchState, "scanned" | "asOf"> {
  text: string;
  filter: FileFilter;
  /** of the next request; null at the end, undefined at the start */
  cursor: string | null | undefined;
}

const stateOf = ({ scanned, asOf }: Progress) => ({ scanned, asOf, problem: null });

const fromStart = ({ text, filter }: Pick<Progress, "text" | "filter">): Progress => ({
  text,
  filter,
  scanned: 0,
  asOf: null,
  cursor: undefined,
});

/**
 * Searches below a folder, a moment after the last letter was typed. One request at a time; `onFound` receives the results of each.
 */
function useSearch(
  client: FilesClient,
  { folderPath, text, filter, requests, isStale }: SearchRequest,
  onFound: (page: FoundPage) => void,
) {
  const [state, setState] = useState<SearchState>(waiting);
  const running = useRef<AbortController | null>(null);
  const progress = useRef<Progress | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const latest = useRef(onFound);
  latest.current = onFound;

  /** Runs until the end, or until another search starts. */
  const runSearch = useCallback(
    async (from: Progress) => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      progress.current = from;
      // Earlier results stay until new ones arrive: the list filters them by the added letters.
      setState({ ...stateOf(from), phase: "running" });
      try {
        if (from.cursor === null) return;
        latest.current({ rows: [], state: "running", replaces: false, begins: true });
        const options = { filter: from.filter, cursor: from.cursor, signal: abort.signal };
        for await (const page of client.search(folderPath, from.text, options)) {
          const replaces = from.cursor === undefined;
          from.scanned += page.scanned;
          from.asOf = page.source === "catalogue" ? page.asOf : null;
          from.cursor = page.cursor;
          const phase = from.cursor === null ? "done" : "running";
          setState({ ...stateOf(from), phase });
          latest.current({ rows: page.rows, state: phase, replaces });
        }
      } catch (error) {
        if (isAbort(error)) return;
        setState({ ...stateOf(from), phase: "failed", problem: asFilesError(error) });
        latest.current({ rows: [], state: "cut", replaces: false });
      }
    },
    [client, folderPath],
  );

  const wasStale = useRef(isStale);
  useEffect(() => {
    const began = isStale && !wasStale.current;
    wasStale.current = isStale;
    if (began && progress.current !== null) void runSearch(fromStart(progress.current));
  }, [runSearch, isStale]);

  const previousRequests = useRef(requests);
  useEffect(() => {
    const atOnce = previousRequests.current !== requests;
    previousRequests.current = requests;
    const last = progress.current;
    // A complete search for the beginning of the last word has found everything already. Another word may be one of a folder, and of one or two
    // letters a catalogue finds only the beginnings of words.
    if (
      last?.cursor === null &&
      last.asOf === null &&
      last.filter === filter &&
      text.startsWith(last.text) &&
      !/\s/.test(text.slice(last.text.trimEnd().length))
    )
      return;
    running.current?.abort();
    const isWanted = atOnce || isLongEnough(text) || (isFiltering(filter) && text.trim() === "");
    setState({ ...waiting, phase: isWanted ? "running" : "waiting" });
    latest.current({ rows: [], state: isWanted ? "running" : "none", replaces: !isWanted, begins: true });
    progress.current = null;
    if (!isWanted) return;
    const wanted = fromStart({ text, filter });
    progress.current = wanted;
    timer.current = setTimeout(() => void runSearch(wanted), atOnce ? 0 : TYPING_PAUSE_MS);
    return () => clearTimeout(timer.current);
  }, [runSearch, text, filter, requests]);

  useEffect(
    () => () => {
      running.current?.abort();
      latest.current({ rows: [], state: "none", replaces: true });
    },
    [],
  );

  return {
    ...state,
    stop() {
      clearTimeout(timer.current);
      running.current?.abort();
      setState({ ...state, phase: "stopped" });
      latest.current({ rows: [], state: "cut", replaces: false });
    },
    /** Continues after a stop or a failure. */
    resume: () => progress.current && void runSearch(progress.current),
  };
}

/** A single Latin letter matches most names; a single character of other scripts may be a word. */
function isLongEnough(text: string): boolean {
  const typed = text.trim();
  return typed.length > 1 || /[^\0-\u024f]/.test(typed);
}
