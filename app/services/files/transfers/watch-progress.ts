import { STALL_LIMIT } from "./retry";

/** How fast a store at least stores what it has been sent, bytes per second: it responds only when all of it is kept. */
const SLOWEST_STORE = 20_000_000;

/**
 * Calls `onStall` once an upload of `size` bytes has stood still for 30 seconds; after the last byte, for as long as the store
 * may need to put them away. A connection that hangs says nothing by itself.
 */
export function watchProgress(size: number, onStall: () => void) {
  let timer = setTimeout(onStall, STALL_LIMIT);
  let before = 0;
  return {
    /** @param sent bytes so far */
    progress(sent: number): void {
      if (sent <= before) return;
      before = sent;
      clearTimeout(timer);
      timer = setTimeout(onStall, STALL_LIMIT + (sent >= size ? (size / SLOWEST_STORE) * 1000 : 0));
    },
    end(): void {
      clearTimeout(timer);
    },
  };
}
