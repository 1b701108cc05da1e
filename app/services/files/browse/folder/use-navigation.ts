import {
  type FolderTime,
  isInside,
  isSameTime,
  issueOfStoredFolder,
  now,
  refusalOfStartPath,
} from "platform-embed-element/client";
import { useCallback, useEffect, useRef } from "react";
import { type OpenFolderMessage, PROTOCOL_VERSION } from "../../../../../embed-element/protocol";
import { keepPlace, keptPlace } from "../../../../embed/frame/kept-place";
import type { FrameSession } from "../../../../embed/frame/use-session";
import { type ExplorerProps, SERVICE } from "../../place/props";
import { focusList } from "../../screen/focus-list";
import { useFolderName } from "../../screen/folder-name";
import { useLanguage } from "../../screen/language";
import { closeTop } from "../../screen/menu";
import type { Notice } from "../../screen/notice";
import { problemCode } from "../../screen/problem-code";
import {
  choiceOf,
  choiceOfText,
  type FilterChoice,
  isSameChoice,
  noChoice,
  textOfChoice,
} from "../filter-choice";
import { breadcrumbs } from "./breadcrumbs";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";

export type Navigation = ReturnType<typeof useNavigation>;

interface NavigationCallbacks {
  announce(sentence: string): void;
  setNotice(notice: Notice): void;
  /** the open folder is being left */
  onLeave(): void;
}

/** Navigation between folders: focus, announcements, messages to the embedding page, browser history and reloads. */
export function useNavigation(
  { embeddingPage, isReady }: Pick<FrameSession, "embeddingPage" | "isReady">,
  {
    rootPath,
    startPath,
    startFilter,
    refusedPath,
    uploadFolder,
    placeKey,
  }: Pick<
    ExplorerProps,
    "rootPath" | "startPath" | "startFilter" | "refusedPath" | "uploadFolder" | "placeKey"
  >,
  folder: Folder,
  list: List,
  { announce, setNotice, onLeave }: NavigationCallbacks,
) {
  const { t, formats } = useLanguage();
  /** what gets the focus when the opened folder is listed: a row's id, `true` for the first row, false for none */
  const focus = useRef<string | boolean>(false);
  /** the row that had the focus before the search field; null for none */
  const returnTo = useRef<string | null>(null);

  /** the folder that is being opened by Back, Forward or a reload; it may not exist any more */
  const returnsTo = useRef<string | null>(null);

  /** the embedding page's request for the folder that is being listed */
  const asked = useRef<OpenFolderMessage | null>(null);

  // The first upload makes these folders. Until then the store has nothing there.
  const isMadeByUploads =
    folder.path === rootPath || (uploadFolder !== null && isInside(uploadFolder, folder.path));
  /** nothing in the bucket has the folder's path or is below it */
  const isMissing = !folder.exists && folder.rows.length === 0 && !isMadeByUploads;

  const crumbs = breadcrumbs(folder.path, rootPath, useFolderName());
  /** Holds the focus while the focused row or button disappears. If the embedding page has the focus, it stays there. */
  const moveFocus = (to: string | boolean) => {
    focus.current = document.hasFocus() && to;
    if (focus.current !== false) focusList();
  };
  /** what is chosen, as the page knows it */
  const toldChoice = useRef(noChoice);
  const tellPage = useCallback(
    (path: string, choice = noChoice) => {
      toldChoice.current = choice;
      const filter = textOfChoice(choice);
      const chosen = filter === "" ? {} : { filter };
      embeddingPage.post({ type: "platform.embed.navigate", service: SERVICE, path, ...chosen });
    },
    [embeddingPage],
  );
  const fail = useCallback(
    (code: string, path: string) => {
      const failure = { version: PROTOCOL_VERSION, service: SERVICE, code, path };
      embeddingPage.post({ type: "platform.embed.error", ...failure });
    },
    [embeddingPage],
  );
  /**
   * @param row gets the focus; by default the row of the folder that was left, or the first one
   * @param choice in the filters
   */
  const show = (path: string, time: FolderTime, row?: string, choice = noChoice) => {
    onLeave();
    const above = crumbs.findIndex((crumb) => crumb.path === path);
    moveFocus(row ?? (above === -1 ? undefined : crumbs[above + 1]?.path) ?? true);
    list.showAll();
    if (choice !== noChoice) list.setChoice(choice);
    list.selection.clear();
    void folder.open(path, { time });
    keepPlace(placeKey, path === startPath ? null : path);
    // The page is told about the folder that it has asked for when the folder is known to exist. It knows nothing of times.
    if (path !== asked.current?.path && path !== folder.path) tellPage(path, choice);
  };
  const goTo = (path: string, time: FolderTime, row?: string) => {
    returnsTo.current = null;
    show(path, time, row);
  };
  /** @param time by default the present one: subfolders of the past are opened in the past */
  const open = (path: string, row?: string, time = folder.time) => {
    addEntry(path, time);
    goTo(path, time, row);
  };
  const goBackTo = (path: string, time: FolderTime = now, choice = noChoice) => {
    if (!isInside(path, rootPath)) return;
    show(path, time, undefined, choice);
    // The page has chosen this one, and is told if it does not exist.
    returnsTo.current = path === startPath ? null : path;
  };

  const answer = (id: number, code?: string) =>
    embeddingPage.post({ type: "platform.embed.folder-opened", service: SERVICE, id, code });
  const openForPage = (message: OpenFolderMessage) => {
    const { id, path } = message;
    const refusal = refusalOfStartPath(path, rootPath);
    if (refusal !== null) return answer(id, refusal);
    const isOpen = asked.current === null && path === folder.path && folder.time.kind === "now";
    if (isOpen && folder.listed && !isMissing && !list.isFiltered) return answer(id);
    if (asked.current) answer(asked.current.id, "replaced");
    asked.current = message;
    // The page has a history of its own. With an entry of the frame beside its own, Back would have to be pressed twice.
    markEntry(path);
    goTo(path, now);
  };

  const { choice } = list;
  const seenChoice = useRef(choice);
  useEffect(() => {
    const isNew = choice !== seenChoice.current;
    seenChoice.current = choice;
    // The page hears of the folder that it has asked for when that is known to exist.
    if (!isNew || asked.current || isSameChoice(choice, toldChoice.current)) return;
    tellPage(folder.path, choice);
  }, [tellPage, choice, folder.path]);

  /** Back closes what is open, and leads to another folder the next time. */
  const stay = () => addEntry(folder.path, folder.time, list.choice);
  const latest = useRef({ goBackTo, stay, show, openForPage, answer, setChoice: list.setChoice });
  latest.current = { goBackTo, stay, show, openForPage, answer, setChoice: list.setChoice };
  useEffect(
    () =>
      embeddingPage.listen((message) => {
        if (message.type === "platform.embed.open-folder") latest.current.openForPage(message);
      }),
    [embeddingPage],
  );
  useEffect(() => {
    const kept = keptPlace(placeKey);
    const isKept = kept !== null && issueOfStoredFolder(kept) === null && isInside(kept, startPath);
    const path = isKept ? kept : startPath;
    const startChoice = choiceOfText(startFilter);
    toldChoice.current = startChoice;
    // It is of the folder that the page has named, and not of one below it.
    const choice = path === startPath ? startChoice : noChoice;
    markEntry(path, choice);
    if (isKept) latest.current.goBackTo(path, now, choice);
    else latest.current.setChoice(choice);
    return listenForFolder((path, time, choice) => {
      if (closeTop()) latest.current.stay();
      else latest.current.goBackTo(path, time, choice);
    });
  }, [startPath, startFilter, placeKey]);

  const { path, status, problem } = folder;
  const isAnswered = status === "ready" || status === "more";
  useEffect(() => {
    if (!isAnswered || !isReady) return;
    const isReturn = path === returnsTo.current;
    returnsTo.current = null;
    if (isReturn && isMissing) {
      markEntry(rootPath);
      latest.current.show(rootPath, now);
      setNotice({ about: "folder", sentence: "folderGone" });
      return;
    }
    const request = asked.current;
    asked.current = null;
    const code = isMissing ? "folder_not_found" : problem ? problemCode(problem) : undefined;
    if (request) {
      const isShown = request.path === path;
      if (isShown && !isMissing) tellPage(path);
      latest.current.answer(request.id, isShown ? code : "replaced");
    } else if (isMissing) fail("folder_not_found", path);
  }, [tellPage, fail, setNotice, isReady, path, isAnswered, problem, isMissing, rootPath]);
  useEffect(() => {
    const refusal = refusedPath === null ? null : refusalOfStartPath(refusedPath, rootPath);
    if (isReady && refusedPath !== null && refusal !== null) fail(refusal, refusedPath);
  }, [fail, isReady, refusedPath, rootPath]);

  const name = crumbs.at(-1)?.name ?? "";
  const parent = crumbs.at(-2)?.path;
  const items = t("items", { count: list.total });
  /** A response may contain no deleted file although more are to come. */
  const isShown = folder.listed && !(list.total === 0 && status === "more");
  const { time } = folder;
  useEffect(() => {
    if (!isShown || focus.current === false) return;
    focus.current = false;
    if (isMissing) return;
    if (time.kind === "now") announce(t("announcements.opened", { folder: name, items }));
    else if (time.kind === "deleted") announce(t("announcements.openedDeleted", { folder: name, items }));
    else announce(t("announcements.openedAt", { folder: name, items, when: formats.dateTime(time.moment) }));
  }, [isShown, announce, t, formats, name, items, time, isMissing]);

  const openParent = parent === undefined ? null : () => open(parent);
  const retry = () => {
    moveFocus(true);
    void folder.refresh();
  };
  const leaveSearch = () => {
    moveFocus(returnTo.current ?? true);
    list.showAll();
  };
  /** Filters by kind, date and size. Back leads to what was chosen before. */
  const choose = (choice: FilterChoice) => {
    addEntry(folder.path, folder.time, choice);
    list.setChoice(choice);
  };
  return {
    choose,
    crumbs,
    name,
    isMissing,
    open,
    openParent,
    openRoot: () => open(rootPath, undefined, now),
    openTime: (time: FolderTime) => open(folder.path, undefined, time),
    focus: focus.current,
    retry,
    returnTo,
    leaveSearch,
  };
}

/**
 * Every opened folder, and every time at which it is shown, is an entry in the browser's history, which the frame shares with the embedding page. The code
 * never calls `history.back()`: browsers disagree on where that leads in a frame. docs/decisions/0070
 */

/** The folder in a history entry's state; null if the entry is not ours. */
export function folderOfEntry(state: unknown): string | null {
  const folder = typeof state === "object" && state !== null && "folder" in state ? state.folder : null;
  return typeof folder === "string" ? folder : null;
}

/** The time in the state of an entry of ours. */
function timeOfEntry(state: unknown): FolderTime {
  return typeof state === "object" && state !== null && "time" in state ? (state.time as FolderTime) : now;
}

/** What was chosen in the state of an entry of ours. */
const choiceOfEntry = (state: unknown): FilterChoice =>
  choiceOf(typeof state === "object" && state !== null && "choice" in state ? state.choice : null);

/** Marks the current entry as `path` with chosen filters. */
export function markEntry(path: string, choice = noChoice): void {
  window.history.replaceState(stateOfEntry(path, now, choice), "");
}

const stateOfEntry = (path: string, time: FolderTime, choice: FilterChoice) => ({
  folder: path,
  ...(time.kind !== "now" && { time }),
  ...(!isSameChoice(choice, noChoice) && { choice }),
});

/** Adds an entry for `path` at a time, with chosen filters, unless it is the current one. */
export function addEntry(path: string, time: FolderTime = now, choice = noChoice): void {
  const { state } = window.history;
  const isCurrent = folderOfEntry(state) === path && isSameTime(timeOfEntry(state), time);
  if (isCurrent && isSameChoice(choiceOfEntry(state), choice)) return;
  try {
    window.history.pushState(stateOfEntry(path, time, choice), "");
  } catch {
    // WebKit allows a hundred entries in 30 seconds. The folder is opened anyway.
  }
}

/** Calls `onFolder` when Back or Forward leads to another entry of ours; the returned function stops it. */
export function listenForFolder(
  onFolder: (path: string, time: FolderTime, choice: FilterChoice) => void,
): () => void {
  const onPopState = ({ state }: PopStateEvent) => {
    const path = folderOfEntry(state);
    if (path !== null) onFolder(path, timeOfEntry(state), choiceOfEntry(state));
  };
  window.addEventListener("popstate", onPopState);
  return () => window.removeEventListener("popstate", onPopState);
}
