/**
 * Where in a service a person was, kept for as long as the tab, so that reloading the page around leads back there.
 * @param key `FrameProps.placeKey`. A browser that allows a frame no storage keeps nothing.
 */
export function keepPlace(key: string, place: string | null): void {
  try {
    if (place === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, place);
  } catch {}
}

/** What `keepPlace` has kept, or null. */
export function keptPlace(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
