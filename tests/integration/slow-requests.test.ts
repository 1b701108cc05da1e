import { connect } from "node:net";
import { expect, inject, it } from "vitest";

const { apiBaseUrl } = inject("stack");

// 15 seconds for the headers, and some more on a busy machine.
it("closes a connection whose headers do not arrive in 15 seconds", { timeout: 25_000 }, async () => {
  const { hostname, port } = new URL(apiBaseUrl);
  const received = await new Promise<string>((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write("GET /healthz HTTP/1.1\r\n"));
    const drip = setInterval(() => socket.write(`X-Drip-${Date.now()}: 1\r\n`), 500);
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      clearInterval(drip);
      resolve(text);
    });
  });
  expect(received).toMatch(/^HTTP\/1\.1 408 /);
});
