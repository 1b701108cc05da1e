import { FilesError } from "platform-embed-element/client";

/** Why a worker does not show a file. */
export type Refusal =
  | "too-complex"
  | "protected"
  | "damaged"
  /** a form in XFA, of which a PDF has only a page that says to wait */
  | "form"
  /** the program of the years up to 2003 that wrote it */
  | { olderFormatOf: string }
  /** the format of its content, where its name promises another one */
  | { contentFormat: string };

/**
 * Sends `message` to a new worker and returns its first message, because some texts keep any parser busy for minutes.
 * @param name of the worker's file, without `.js`
 * @param timeoutMs after this time, the worker is stopped and the result is null
 * @param transfer buffers of the message that the worker gets itself, and not copies of them
 * @throws FilesError `failed` if the worker could not be loaded or crashed
 */
export async function runWorker<Response>(
  name: string,
  message: unknown,
  timeoutMs: number,
  signal: AbortSignal,
  transfer: Transferable[] = [],
): Promise<Response | null> {
  signal.throwIfAborted();
  const worker = new Worker(`/embed-workers/${name}.js`, { type: "module" });
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Response>) => resolve(data);
      worker.onerror = () => reject(new FilesError("failed"));
      timer = setTimeout(() => resolve(null), timeoutMs);
      signal.addEventListener("abort", () => reject(signal.reason), { signal: ended.signal });
      worker.postMessage(message, transfer);
    });
  } finally {
    clearTimeout(timer);
    ended.abort();
    worker.terminate();
  }
}
