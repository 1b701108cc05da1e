import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { refusalOfMedia } from "./refusal-of-media";

afterEach(() => vi.unstubAllGlobals());

/** A store whose response begins with `text`, and then breaks. */
function answerAndBreak(text: string, error: unknown) {
  let sent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent) controller.error(error);
      else controller.enqueue(new TextEncoder().encode(text));
      sent = true;
    },
  });
  vi.stubGlobal("fetch", async () => new Response(body));
}
const refusalOf = (signal = new AbortController().signal) =>
  refusalOfMedia("https://store.example/film.mp4", signal);

test("a connection that breaks in the beginning of a file does not say that the file is damaged", async () => {
  answerAndBreak("#EXT", new TypeError("network error"));
  await expect(refusalOf()).rejects.toMatchObject({ code: "unreachable" });
});

test("reading that is aborted rejects with the signal's reason", async () => {
  const abort = new AbortController();
  abort.abort(new Error("closed"));
  answerAndBreak("#EXT", abort.signal.reason);
  await expect(refusalOf(abort.signal)).rejects.toThrow("closed");
});

const playlist = Buffer.from(
  "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttps://store.example/other/a.ts\n",
);

/** As gzip, behind a comment that is longer than the beginning of a file that is looked at. RFC 1952, section 2.3 */
function packedBehindComment(content: Buffer): Buffer {
  const packed = gzipSync(content);
  const header = Buffer.from(packed.subarray(0, 10));
  const hasComment = 0x10;
  header[3] = hasComment;
  return Buffer.concat([header, Buffer.from(`${"x".repeat(2_000)}\0`), packed.subarray(10)]);
}

interface Stored {
  bytes: Buffer;
  encoding?: string;
}
const files = new Map<string, Stored>([
  ["/plain.mp4", { bytes: playlist }],
  ["/packed.mp4", { bytes: packedBehindComment(playlist), encoding: "gzip" }],
  ["/short.wav", { bytes: Buffer.from("RIFF....WAVE") }],
]);
/** Answers with a range of the bytes as they are stored, as S3 does. */
const store = createServer(({ url = "", headers }, response) => {
  const { bytes, encoding }: Stored = files.get(url) ?? { bytes: Buffer.alloc(0) };
  const [, end] = /^bytes=0-(\d+)$/.exec(headers.range ?? "") ?? [];
  const sent = end === undefined ? bytes : bytes.subarray(0, Number(end) + 1);
  response.writeHead(end === undefined ? 200 : 206, { ...(encoding && { "Content-Encoding": encoding }) });
  response.end(sent);
});
beforeAll(() => once(store.listen(0, "127.0.0.1"), "listening"));
afterAll(() => store.close());

const storedRefusalOf = (name: string) =>
  refusalOfMedia(
    `http://127.0.0.1:${(store.address() as AddressInfo).port}/${name}`,
    AbortSignal.timeout(10_000),
  );

test.each(["plain.mp4", "packed.mp4"])("a playlist by the name of a film is not played: %s", async (name) => {
  await expect(storedRefusalOf(name)).resolves.toEqual({ contentFormat: "M3U" });
});

test("a short sound is played", async () => {
  await expect(storedRefusalOf("short.wav")).resolves.toBeNull();
});
