/** Sends raw HTTP bytes, for requests that no HTTP client would send. */
import { connect } from "node:net";

export interface RawResponse {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/** Sends `bytes` to `baseUrl`'s server and reads one response, until its body or the connection ends. */
export function sendRaw(baseUrl: string, bytes: string): Promise<RawResponse> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname === "localhost" ? "127.0.0.1" : hostname, () =>
      socket.write(bytes),
    );
    const end = () => {
      const response = parse(received);
      socket.destroy();
      if (response === undefined)
        reject(new Error(`Incomplete response: ${JSON.stringify(received.slice(0, 500))}`));
      else resolve(response);
    };
    socket.setTimeout(10_000, end);
    socket.on("error", reject);
    socket.on("end", end);
    socket.on("data", (data) => {
      received += data;
      if (parse(received) !== undefined) end();
    });
  });
}

/** Returns the response once it is complete. */
function parse(text: string): RawResponse | undefined {
  const split = text.indexOf("\r\n\r\n");
  if (split === -1) return undefined;
  const [statusLine = "", ...lines] = text.slice(0, split).split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const body = text.slice(split + 4);
  const length = headers.get("content-length");
  if (length !== undefined && Buffer.byteLength(body) < Number(length)) return undefined;
  return { status: Number(statusLine.split(" ")[1]), headers, body };
}
