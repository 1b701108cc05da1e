import { isUtf8 } from "node:buffer";

export interface Line {
  /** counted from 1 */
  number: number;
  /** without its end, trimmed; null when it is longer than `maxBytes`, or no UTF-8 */
  text: string | null;
}

const LINE_FEED = 0x0a;

/**
 * The lines of a text, one at a time: whatever its size, no more than one chunk and one line are in memory.
 * @param maxBytes of a line; of a longer one nothing is kept
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let number = 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const hold = (bytes: Uint8Array) => {
    heldBytes += bytes.length;
    if (heldBytes <= maxBytes) held.push(bytes);
    else held = [];
  };
  const take = (): Line => {
    const bytes = Buffer.concat(held);
    const isReadable = heldBytes <= maxBytes && isUtf8(bytes);
    [held, heldBytes] = [[], 0];
    number++;
    // Windows' editors begin a file with a byte order mark, which trim() takes for a space.
    return { number, text: isReadable ? bytes.toString().trim() : null };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      hold(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    if (start < chunk.length) hold(chunk.slice(start));
  }
  if (heldBytes > 0) yield take();
}
