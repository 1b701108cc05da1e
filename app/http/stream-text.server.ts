import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { AppError } from "../shared/app-error";
import { logError } from "../shared/log.server";
import { REQUEST_BUDGET_MS, type RequestContext, timeLeft } from "../shared/request-context.server";
import { Turns } from "../shared/turns";
import { tooManyAtOnce } from "./heavy-requests.server";

/** milliseconds for which a caller may take nothing, before the connection is closed */
const STALL_MS = 60_000;

/**
 * The process makes one piece at a time, of all its responses. A piece takes a connection to the database and some milliseconds of the process,
 * and a caller may have opened thousands of responses.
 */
const turns = new Turns();

/** While so many pieces of a caller wait, no further response to that caller begins. */
const MAX_WAITING = 10;

/** How many more requests a response counts as: its length is not known before. */
export const FURTHER_REQUESTS_OF_STREAM = 4;

/**
 * A response whose text is made while it is sent: the next piece when the caller has taken the one before. An error closes the connection
 * before the end that HTTP marks, so no caller takes a part for the whole.
 * @param pieces its first piece is awaited, so an error there gets an ordinary response
 * @param caller `identity`: whom the request is counted by, because callers take turns; `check` is called before each piece, and
 * throws if the credential has been revoked
 * @throws AppError `rate_limited` if too much of the caller waits, `unavailable` if the turn of the first piece did not come in time
 */
export async function streamText(
  pieces: AsyncGenerator<string, void>,
  { identity, check }: { identity: string; check: () => Promise<unknown> },
  context: RequestContext,
  headers: Record<string, string>,
): Promise<Response> {
  const { requestId, signal, response } = context;
  const makeNext = () => turns.take(identity, () => pieces.next(), signal);
  const makeFirst = async () => {
    await check();
    return pieces.next();
  };
  if (turns.waitingOf(identity) >= MAX_WAITING)
    throw tooManyAtOnce(`the caller has ${MAX_WAITING} exports waiting`);
  const late = AbortSignal.timeout(timeLeft(REQUEST_BUDGET_MS, context));
  const gone = signal ? AbortSignal.any([signal, late]) : late;
  const first = await turns.take(identity, makeFirst, gone).catch((thrown: unknown) => {
    if (thrown === gone.reason) throw notInTime(thrown);
    throw thrown;
  });
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

/** Nobody waits for the response any more. */
function notInTime(cause: unknown): AppError {
  const message = "The service is busy. Try again in a moment.";
  return new AppError("unavailable", message, {
    cause,
    logDetail: "the caller has gone, or others had their turns for too long",
    retryAfterSeconds: 5,
  });
}

/** Remix writes whatever it gets, so what Node cannot send yet would be kept in memory. @throws AbortError */
async function untilTaken(response: ServerResponse, gone: AbortSignal | undefined): Promise<void> {
  if (!response.writableNeedDrain) return;
  const stalled = AbortSignal.timeout(STALL_MS);
  await once(response, "drain", { signal: gone ? AbortSignal.any([gone, stalled]) : stalled });
}
