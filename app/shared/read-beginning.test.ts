import { expect, it } from "vitest";
import { readBeginning } from "./read-beginning";

/** A response of these chunks, and whether it was ended before the last of them was read. */
function responseOf(...chunks: string[]) {
  const source = { isCancelled: false };
  const waiting = chunks.map((chunk) => new TextEncoder().encode(chunk));
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        const chunk = waiting.shift();
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel() {
        source.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { source, response: new Response(body) };
}

it.each([
  [["abc", "def"], 10, "abcdef", false],
  [["abc", "def"], 6, "abcdef", false],
  [["abc", "def"], 5, "abcde", true],
  [["abc", "def", "ghi"], 3, "abc", true],
  [["", "abc"], 2, "ab", true],
  [[], 4, "", false],
])("of %j, %i bytes are %j, and cut: %j", async (chunks, limit, text, cut) => {
  const { source, response } = responseOf(...chunks);
  const read = await readBeginning(response, limit);
  expect([new TextDecoder().decode(read.bytes), read.cut]).toEqual([text, cut]);
  expect(source.isCancelled).toBe(cut);
});

it("of a response without a body, there are none", async () => {
  expect(await readBeginning(new Response(null), 4)).toEqual({ bytes: new Uint8Array(), cut: false });
});
