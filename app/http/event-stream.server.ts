import type { RequestContext } from "../shared/request-context.server";

/** Proxies close a response that is silent, most of them after a minute. */
const COMMENT_SECONDS = 20;
const CHECK_MS = 1_000;
/** Bytes that a caller may leave unread before the connection is closed. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** One message of a stream. HTML Standard, "Server-sent events" */
export interface StreamEvent {
  /** the caller sends it to go on after it */
  id?: string;
  name: string;
  data: object;
}

interface EventStreamOptions {
  /** Begins to send. @returns a function that stops it */
  begin(stream: { send(event: StreamEvent): void; end(): void }): Promise<() => void>;
  /** called once a second; throws if the credential is no longer valid, which ends the stream */
  check(): Promise<void>;
  /** the `id` that goes with a comment */
  lastId(): string | undefined;
  /** called once, when it has ended for whatever reason */
  onEnd(): void;
}

/**
 * A response that stays open: messages as `text/event-stream`, and a comment every 20 seconds. Callers who do not read are cut off.
 * @throws what `begin` throws
 */
export async function eventStream(
  { begin, check, lastId, onEnd }: EventStreamOptions,
  { signal, response }: Pick<RequestContext, "signal" | "response">,
): Promise<Response> {
  let seconds = 0;
  let wasFull = false;
  let hasEnded = false;
  let stop = () => {};
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started;
      },
      cancel: () => end(),
    },
    { highWaterMark: MAX_UNREAD_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  const write = (text: string) => {
    if (hasEnded) return;
    controller?.enqueue(Buffer.from(text));
    const isUnread =
      (controller?.desiredSize ?? 0) <= 0 || (response?.writableLength ?? 0) > MAX_UNREAD_BYTES;
    if (isUnread) cutOff();
  };
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    clearInterval(timer);
    signal?.removeEventListener("abort", end);
    stop();
    try {
      controller?.close();
    } catch {
      // The caller has cancelled it.
    }
    onEnd();
  };
  /** What was not read is not kept. */
  const cutOff = () => {
    end();
    response?.destroy();
  };
  const timer = setInterval(() => {
    // Without a turn of its own, an error would be nobody's.
    check().catch(end);
    seconds += CHECK_MS / 1_000;
    if (seconds % COMMENT_SECONDS !== 0) return;
    const isFull = response?.writableNeedDrain ?? false;
    if (isFull && wasFull) cutOff();
    wasFull = isFull;
    write(comment(lastId()));
  }, CHECK_MS);
  signal?.addEventListener("abort", end);
  // A caller who has gone already is told of by no event.
  if (signal?.aborted) end();
  try {
    if (!hasEnded) stop = await begin({ send: (event) => write(textOf(event)), end });
  } catch (thrown) {
    end();
    throw thrown;
  }
  // It may have ended meanwhile.
  if (hasEnded) stop();
  return new Response(body, { headers: eventStreamHeaders });
}

/** A response with these messages, which ends at once. */
export const eventsResponse = (events: readonly StreamEvent[]): Response =>
  new Response(events.map(textOf).join(""), { headers: eventStreamHeaders });

/** Neither compressed, which would hold messages back, nor collected by nginx. */
const eventStreamHeaders = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

const textOf = ({ id, name, data }: StreamEvent): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const comment = (id: string | undefined): string =>
  `: still here\n${id === undefined ? "" : `id: ${id}\n`}\n`;
