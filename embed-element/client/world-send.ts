export interface SendRequest {
  url: string;
  headers: Record<string, string>;
  body: Blob;
  /** @param sent bytes so far */
  onProgress(sent: number): void;
  signal: AbortSignal;
}

export interface SendResponse {
  status: number;
  body: string;
  /** null if it is missing, or hidden by the store's CORS rules */
  header(name: string): string | null;
}

/** Only the browser itself may set these. */
const SET_BY_BROWSER = /^(content-length|host)$/i;

/** `fetch` reports no progress of an upload in browsers. */
export function sendByXhr({ url, headers, body, onProgress, signal }: SendRequest): Promise<SendResponse> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new browser.XMLHttpRequest();
    const cancel = () => request.abort();
    signal.addEventListener("abort", cancel);
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers)) {
      if (!SET_BY_BROWSER.test(name)) request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded }: { loaded: number }) => onProgress(loaded);
    const fail = () => reject(signal.aborted ? signal.reason : new TypeError("The connection broke."));
    request.onerror = fail;
    // Safari reports a dropped connection as an abort.
    request.onabort = fail;
    request.onload = () => {
      const { status, responseText } = request;
      resolve({ status, body: responseText, header: (name) => readableHeader(request, name) });
    };
    request.onloadend = () => signal.removeEventListener("abort", cancel);
    request.send(body);
  });
}

/** `getResponseHeader` would log an error for a header that the store's CORS rules hide. */
function readableHeader(request: XhrRequest, name: string): string | null {
  return new RegExp(`^${name}: *(.*?) *$`, "im").exec(request.getAllResponseHeaders())?.[1] ?? null;
}

/** In Node, which lets a request with a stream have a length. Stores refuse requests without one. */
export async function sendByFetch(request: SendRequest): Promise<SendResponse> {
  const { url, headers, body, onProgress, signal } = request;
  let sent = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      sent += chunk.length;
      onProgress(sent);
      controller.enqueue(chunk);
    },
  });
  const init = {
    method: "PUT",
    headers: { ...headers, "Content-Length": String(body.size) },
    body: body.size === 0 ? null : body.stream().pipeThrough(count),
    duplex: "half" as const,
    signal,
  };
  const response = await fetch(url, init);
  return {
    status: response.status,
    body: await response.text(),
    header: (name) => response.headers.get(name),
  };
}

// What is used of browsers, because the server's code, which imports the engine, knows no types of theirs.

const browser = globalThis as unknown as { XMLHttpRequest: new () => XhrRequest };

interface XhrRequest {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: unknown };
  onerror: unknown;
  onabort: unknown;
  onload: unknown;
  onloadend: unknown;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob): void;
  abort(): void;
}
