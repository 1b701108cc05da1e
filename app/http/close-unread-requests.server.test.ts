import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import express from "express";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { closeUnreadRequests } from "./close-unread-requests.server";

const LINGER_MS = 100;
let server: Server;
beforeEach(async () => {
  const app = express()
    .use(closeUnreadRequests(LINGER_MS))
    .use((request, response) => {
      request.resume();
      response.status(401).end("refused");
    });
  server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  vi.useRealTimers();
  server.closeAllConnections();
  server.close();
});

/** Opens a connection and sends the head of a request with a body of 1,000 bytes, and its first byte. */
function begin(): { socket: Socket; received: () => string; refusals: (count: number) => Promise<void> } {
  const head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nx";
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  // At once: after the connection is made, what a test writes meanwhile would be sent before the head.
  socket.write(head);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  /** `expect.poll` would move the fake clock on, which closes the connection. */
  const refusals = async (count: number) => {
    while (text.split("refused").length <= count) await once(socket, "data");
  };
  return { socket, received: () => text, refusals };
}

it("a connection whose body keeps dripping after the response is closed", async () => {
  const { socket, received } = begin();
  const drip = setInterval(() => socket.write("x"), 10);
  // What is written after the server has closed may reset the connection.
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(drip);
  expect(received()).toMatch(/^HTTP\/1\.1 401 .*refused$/s);
});

it("a connection whose body ends after the response serves the next request, also later", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { socket, refusals } = begin();
  await refusals(1);
  socket.write("x".repeat(999));
  const askAgain = async (count: number) => {
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await refusals(count);
  };
  await askAgain(2);
  vi.advanceTimersByTime(LINGER_MS);
  await askAgain(3);
  socket.destroy();
});
