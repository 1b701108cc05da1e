import { useCallback, useEffect, useReducer, useRef } from "react";
import type { VisibleEvent, VisibleEvents } from "../visible-events.server";

/** How often new events are looked for while the page is visible. */
const POLL_MS = 5_000;

/** Loads one page: the newest without a cursor. */
export type LoadEvents = (cursor: string | undefined, signal: AbortSignal) => Promise<VisibleEvents>;

interface State {
  phase: "loading" | "ready" | "failed";
  events: readonly VisibleEvent[];
  /** for the next page; null at the end */
  cursor: string | null;
  /** those that came while the page was open */
  newIds: ReadonlySet<string>;
  /** why the newest events, or the next page, could not be loaded */
  problem: unknown;
  isLoadingMore: boolean;
  /** the last look for new events failed */
  isStale: boolean;
}

type Action =
  | { type: "reset" }
  | { type: "loaded"; page: VisibleEvents }
  | { type: "failed"; problem: unknown }
  | { type: "moreAsked" }
  | { type: "moreLoaded"; page: VisibleEvents }
  | { type: "moreFailed"; problem: unknown }
  | { type: "polled"; page: VisibleEvents }
  | { type: "pollFailed" };

const empty: State = {
  phase: "loading",
  events: [],
  cursor: null,
  newIds: new Set(),
  problem: null,
  isLoadingMore: false,
  isStale: false,
};

function reduceEvents(state: State, action: Action): State {
  switch (action.type) {
    case "reset":
      return empty;
    case "loaded":
      return { ...empty, phase: "ready", ...action.page };
    case "failed":
      return { ...empty, phase: "failed", problem: action.problem };
    case "moreAsked":
      return { ...state, isLoadingMore: true, problem: null };
    case "moreLoaded": {
      const { events, cursor } = action.page;
      return {
        ...state,
        events: [...state.events, ...unknownOf(events, state.events)],
        cursor,
        isLoadingMore: false,
      };
    }
    case "moreFailed":
      return { ...state, isLoadingMore: false, problem: action.problem };
    case "pollFailed":
      return { ...state, isStale: true };
    case "polled": {
      const { events, cursor } = action.page;
      const unknown = unknownOf(events, state.events);
      if (unknown.length === 0) return state.isStale ? { ...state, isStale: false } : state;
      const newIds = new Set([...state.newIds, ...unknown.map(({ id }) => id)]);
      // Nothing in common: there may be more between the two, and the list goes on from here.
      if (cursor !== null && unknown.length === events.length)
        return { ...state, events, cursor, newIds, isStale: false };
      // An event may be written after a later one.
      const merged = [...state.events, ...unknown].sort(newestFirst);
      return { ...state, events: merged, newIds, isStale: false };
    }
  }
}

function unknownOf(events: readonly VisibleEvent[], known: readonly VisibleEvent[]): VisibleEvent[] {
  const ids = new Set(known.map(({ id }) => id));
  return events.filter(({ id }) => !ids.has(id));
}

function newestFirst(one: VisibleEvent, other: VisibleEvent): number {
  if (one.occurredAt !== other.occurredAt) return one.occurredAt < other.occurredAt ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}

export type EventList = ReturnType<typeof useEvents>;

/**
 * The events that `load` finds, page by page, and those that happen meanwhile.
 * @param load keep the function (`useCallback`): with another one, the list is loaded again
 * @param first the newest events, if the server has rendered them with the page; only the first rendering uses it
 */
export function useEvents(load: LoadEvents, first?: VisibleEvents) {
  const [state, dispatch] = useReducer(
    reduceEvents,
    first === undefined ? empty : { ...empty, phase: "ready" as const, ...first },
  );
  const { phase, cursor } = state;
  const rendered = useRef(first === undefined ? undefined : load);
  /** aborted when `load` changes */
  const current = useRef(new AbortController());

  const reload = useCallback(() => {
    current.current.abort();
    current.current = new AbortController();
    const { signal } = current.current;
    dispatch({ type: "reset" });
    load(undefined, signal).then(
      (page) => signal.aborted || dispatch({ type: "loaded", page }),
      (problem: unknown) => signal.aborted || dispatch({ type: "failed", problem }),
    );
  }, [load]);

  useEffect(() => {
    // React's strict mode runs this twice.
    if (rendered.current === load) current.current = new AbortController();
    else reload();
    return () => current.current.abort();
  }, [load, reload]);

  const loadMore = () => {
    if (state.isLoadingMore || cursor === null) return;
    const { signal } = current.current;
    dispatch({ type: "moreAsked" });
    load(cursor, signal).then(
      (page) => signal.aborted || dispatch({ type: "moreLoaded", page }),
      (problem: unknown) => signal.aborted || dispatch({ type: "moreFailed", problem }),
    );
  };

  useEffect(() => {
    if (phase !== "ready") return;
    const stop = new AbortController();
    let isAsking = false;
    const look = async () => {
      if (isAsking || document.visibilityState !== "visible") return;
      isAsking = true;
      const signal = AbortSignal.any([stop.signal, current.current.signal]);
      await load(undefined, signal).then(
        (page) => signal.aborted || dispatch({ type: "polled", page }),
        () => signal.aborted || dispatch({ type: "pollFailed" }),
      );
      isAsking = false;
    };
    const timer = setInterval(look, POLL_MS);
    const { signal } = stop;
    window.addEventListener("online", look, { signal });
    document.addEventListener("visibilitychange", look, { signal });
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [load, phase]);

  // What could not be loaded while the browser was offline is loaded when it is back.
  useEffect(() => {
    if (phase !== "failed") return;
    window.addEventListener("online", reload);
    return () => window.removeEventListener("online", reload);
  }, [phase, reload]);

  return { ...state, reload, loadMore };
}
