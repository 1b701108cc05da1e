import { useCallback, useEffect, useRef, useState } from "react";
import type { StorageClient } from "../../storage-client";
import { asProblem, isAbort, type StorageProblem } from "../../storage-problem";
import { type Row, rowsOf } from "../folder/folder-state";

/** How long a person who types is waited for, milliseconds. */
const PAUSE = 250;

export interface SearchRequest {
  folderPath: string;
  text: string;
  /** raised when what is typed is to be searched at once, however short */
  asked: number;
  /** the folder is being listed again: what was found may be out of date */
  isStale: boolean;
}

/** `waiting`: for more letters, or for leave to search for so few. */
export type SearchPhase = "waiting" | "running" | "done" | "stopped" | "failed";

/** How much the list may expect: `cut` when the search ended early. */
export type SearchProgress = "running" | "cut" | "done";

/** What one request has found. */
export interface FoundPage {
  rows: Row[];
  state: SearchProgress;
  /** in place of what was found before */
  anew: boolean;
}

export interface SearchState {
  phase: SearchPhase;
  /** files looked at */
  scanned: number;
  problem: StorageProblem | null;
}

interface Progress {
  text: string;
  scanned: number;
  /** where to go on; null when all has been looked at, undefined at the start */
  cursor: string | null | undefined;
}

const fromStart = (text: string): Progress => ({ text, scanned: 0, cursor: undefined });

/**
 * Searches below a folder for what is typed: a moment after the last letter, one request at a time, each of which hands over what it has found.
 */
export function useSearch(
  client: StorageClient,
  { folderPath, text, asked, isStale }: SearchRequest,
  onFound: (page: FoundPage) => void,
) {
  const [state, setState] = useState<SearchState>({ phase: "waiting", scanned: 0, problem: null });
  const running = useRef<AbortController | null>(null);
  const progress = useRef<Progress | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const latest = useRef(onFound);
  latest.current = onFound;

  /** Goes on to the end, or until the next request of the person. */
  const goOn = useCallback(
    async (from: Progress) => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      progress.current = from;
      // What was found before stays until there is something of this search: the list narrows it by the letters that were added.
      setState({ phase: "running", scanned: from.scanned, problem: null });
      try {
        while (from.cursor !== null) {
          const page = await client.search(folderPath, from.text, from.cursor, abort.signal);
          abort.signal.throwIfAborted();
          const anew = from.cursor === undefined;
          from.scanned += page.scanned;
          from.cursor = page.cursor;
          const phase = from.cursor === null ? "done" : "running";
          setState({ phase, scanned: from.scanned, problem: null });
          latest.current({ rows: rowsOf({ ...page, nextCursor: null }), state: phase, anew });
        }
      } catch (error) {
        if (isAbort(error)) return;
        setState({ phase: "failed", scanned: from.scanned, problem: asProblem(error) });
        latest.current({ rows: [], state: "cut", anew: false });
      }
    },
    [client, folderPath],
  );

  const known = useRef(isStale);
  useEffect(() => {
    const began = isStale && !known.current;
    known.current = isStale;
    if (began && progress.current !== null) void goOn(fromStart(progress.current.text));
  }, [goOn, isStale]);

  const before = useRef(asked);
  useEffect(() => {
    const atOnce = before.current !== asked;
    before.current = asked;
    const last = progress.current;
    // All that has the added letters in its name has been found with those before.
    if (last?.cursor === null && text.startsWith(last.text)) return;
    running.current?.abort();
    const isWanted = atOnce || isLongEnough(text);
    setState({ phase: isWanted ? "running" : "waiting", scanned: 0, problem: null });
    latest.current({ rows: [], state: isWanted ? "running" : "done", anew: !isWanted });
    progress.current = null;
    if (!isWanted) return;
    const wanted = fromStart(text);
    progress.current = wanted;
    timer.current = setTimeout(() => void goOn(wanted), atOnce ? 0 : PAUSE);
    return () => clearTimeout(timer.current);
  }, [goOn, text, asked]);

  useEffect(
    () => () => {
      running.current?.abort();
      latest.current({ rows: [], state: "done", anew: true });
    },
    [],
  );

  return {
    ...state,
    stop() {
      clearTimeout(timer.current);
      running.current?.abort();
      setState({ ...state, phase: "stopped" });
      latest.current({ rows: [], state: "cut", anew: false });
    },
    /** After a stop or a failure, from there on. */
    resume: () => progress.current && void goOn(progress.current),
  };
}

/** One letter of an alphabet is in most names; one of a script with thousands may be a word. */
export function isLongEnough(text: string): boolean {
  const typed = text.trim();
  return typed.length > 1 || /[^\0-\u024f]/.test(typed);
}
