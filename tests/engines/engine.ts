/** A browser as the smoke tests drive it: by its own automation, with real clicks and keys. */
export interface Engine {
  name: string;
  version: string;
  open(url: string): Promise<void>;
  /** Runs a script's body in the page, or in the embed's frame, with `arguments`. @returns what it returns, as JSON */
  run<Result>(where: Place, body: string, ...args: unknown[]): Promise<Result>;
  /** Clicks the element of that CSS selector in the frame, where it is. */
  click(selector: string): Promise<void>;
  /** Presses a key where the focus in the frame is. */
  press(key: Key): Promise<void>;
  /** Types text where the focus in the frame is. */
  type(text: string): Promise<void>;
  /** Chooses files of this machine for an input of the frame. */
  chooseFiles(selector: string, paths: readonly string[]): Promise<void>;
  /** where downloads go */
  downloads: string;
  close(): Promise<void>;
}

export type Place = "page" | "frame";
export type Key = "Enter" | "Escape" | "ArrowDown" | "Backspace" | "Delete" | "F2" | "Tab";

/** How long anything may take to be seen, milliseconds. */
const PATIENCE = 15_000;

/**
 * Calls `look` until it returns something else than null, undefined or false. What fails on the way is looked at again: a frame may be loading.
 * @throws Error that says what was waited for, and what failed last
 */
export async function eventually<Seen>(
  what: string,
  look: () => Promise<Seen | null | undefined | false>,
): Promise<Seen> {
  const end = Date.now() + PATIENCE;
  let failure: unknown;
  do {
    try {
      const seen = await look();
      if (seen !== null && seen !== undefined && seen !== false) return seen;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (Date.now() < end);
  throw new Error(`${what} was not seen within ${PATIENCE / 1000} s.`, { cause: failure });
}
