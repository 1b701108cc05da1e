/**
 * Remembers the place that is open in a service until the tab is closed, so that reloading the embedding page leads
 * back there. Does nothing if the browser denies the frame storage.
 * @param key `FrameProps.placeKey`
 */
export function keepPlace(key: string, place: string | null): void {
  try {
    if (place === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, place);
  } catch {}
}

/** The place that `keepPlace` has stored, or null. */
export function keptPlace(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
