/** A browser that the smoke tests drive through its own automation, with real clicks and keys. */
export interface Engine {
  name: string;
  version: string;
  open(url: string): Promise<void>;
  /** Runs a script's body in the page, or in the embed's frame, with `arguments`. @returns what it returns, as JSON */
  run<Result>(where: Place, body: string, ...args: unknown[]): Promise<Result>;
  /** Clicks the element of this CSS selector in the frame. */
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

/** Time limit for anything to appear, milliseconds. */
const WAIT_TIMEOUT_MS = 15_000;

/**
 * Calls `look` until it returns something other than null, undefined or false. It retries after errors, because a frame may be loading.
 * @throws Error that names the awaited condition and the last error
 */
export async function eventually<Seen>(
  what: string,
  look: () => Promise<Seen | null | undefined | false>,
): Promise<Seen> {
  const end = Date.now() + WAIT_TIMEOUT_MS;
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
  throw new Error(`${what} was not seen within ${WAIT_TIMEOUT_MS / 1000} s.`, { cause: failure });
}
