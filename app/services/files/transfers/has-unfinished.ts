const NAME = "platform-embed-uploads";

/** Whether this browser may remember uploads that were not ended: to know for sure, what sends them has to be loaded. */
export function mayHaveUnfinishedUploads(): boolean {
  try {
    return localStorage.getItem(NAME) !== null;
  } catch {
    return false;
  }
}

/** Keeps that in mind, or forgets it. */
export function noteUnfinishedUploads(some: boolean): void {
  try {
    if (some) localStorage.setItem(NAME, "1");
    else localStorage.removeItem(NAME);
  } catch {
    // Without storage there is nothing to go on with.
  }
}
