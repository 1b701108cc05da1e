import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { logError } from "../shared/log.server";
import type { RequestContext } from "../shared/request-context.server";
import { Turns } from "../shared/turns";

/** milliseconds for which a caller may take nothing, before the connection is closed */
const STALL_MS = 60_000;

/**
 * The process makes one piece at a time, of all its responses. A piece takes a connection to the database and some milliseconds of the process,
 * and a caller may have opened thousands of responses.
 */
const turns = new Turns();

/** How many more requests a response counts as: its length is not known before. */
export const FURTHER_REQUESTS_OF_STREAM = 4;

/**
 * A response whose text is made while it is sent: the next piece when the caller has taken the one before. An error closes the connection
 * before the end that HTTP marks, so no caller takes a part for the whole.
 * @param pieces its first piece is awaited, so an error there gets an ordinary response
 * @param caller `identity`: whom the request is counted by, because callers take turns; `check` is called before each further piece, and
 * throws if the credential has been revoked
 */
export async function streamText(
  pieces: AsyncGenerator<string, void>,
  { identity, check }: { identity: string; check: () => Promise<unknown> },
  { requestId, signal, response }: RequestContext,
  headers: Record<string, string>,
): Promise<Response> {
  const makeNext = () => turns.take(identity, () => pieces.next());
  const first = await makeNext();
  async function* send(): AsyncGenerator<Uint8Array, void> {
    try {
      for (let next = first; !next.done; next = await makeNext()) {
        yield Buffer.from(next.value);
        if (response) await untilTaken(response, signal);
        signal?.throwIfAborted();
        await check();
      }
    } catch (thrown) {
      if (!signal?.aborted) logError("A response was interrupted.", { thrown, requestId });
      throw thrown;
    } finally {
      await pieces.return();
    }
  }
  const chunks = send();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => void chunks.return(),
    },
    { highWaterMark: 0 },
  );
  // A compressed response would be buffered once more, without a limit.
  return new Response(body, {
    headers: { "Cache-Control": "no-store, no-transform", ...headers },
  });
}

/** Remix writes whatever it gets, so what Node cannot send yet would be kept in memory. @throws AbortError */
async function untilTaken(response: ServerResponse, gone: AbortSignal | undefined): Promise<void> {
  if (!response.writableNeedDrain) return;
  const stalled = AbortSignal.timeout(STALL_MS);
  await once(response, "drain", { signal: gone ? AbortSignal.any([gone, stalled]) : stalled });
}
