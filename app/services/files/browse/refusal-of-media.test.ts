import { afterEach, expect, test, vi } from "vitest";
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
