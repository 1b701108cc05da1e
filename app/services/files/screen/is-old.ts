/** Milliseconds. What a catalogue knows is said to be older only from then on. */
const MAX_UNMENTIONED_AGE_MS = 60_000;

/** Whether a visitor is told since when something is known. @param asOf RFC 3339; null: it is as of now */
export const isOld = (asOf: string | null): asOf is string =>
  asOf !== null && Date.now() - Date.parse(asOf) > MAX_UNMENTIONED_AGE_MS;
