/**
 * Opening a folder is an entry in the browser's history, which the frame shares with the page around: Back and Forward go from folder to
 * folder. Nothing here ever goes back by itself: browsers disagree on where that leads in a frame. docs/decisions/0072
 */

/** The folder of the entry that `state` belongs to; null when it is none of ours. */
export function folderOf(state: unknown): string | null {
  const folder = typeof state === "object" && state !== null && "folder" in state ? state.folder : null;
  return typeof folder === "string" ? folder : null;
}

/** Says that the current entry, the one that the frame began with, is `path`. */
export function markEntry(path: string): void {
  window.history.replaceState({ folder: path }, "");
}

/** Adds an entry for `path`, unless it is the current one: trying a folder again is no step. */
export function addEntry(path: string): void {
  if (folderOf(window.history.state) === path) return;
  try {
    window.history.pushState({ folder: path }, "");
  } catch {
    // WebKit allows a hundred in half a minute. The folder is opened all the same.
  }
}

/** Calls `onFolder` when the person has gone to another entry of ours; the returned function stops it. */
export function listenForFolder(onFolder: (path: string) => void): () => void {
  const onPopState = ({ state }: PopStateEvent) => {
    const path = folderOf(state);
    if (path !== null) onFolder(path);
  };
  window.addEventListener("popstate", onPopState);
  return () => window.removeEventListener("popstate", onPopState);
}
