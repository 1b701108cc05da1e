import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import express, { type Response } from "express";
import { afterEach, beforeEach, expect, it } from "vitest";
import { closeStalledResponses } from "./close-stalled-responses.server";

const STALL_MS = 50;

let server: Server;
/** of the requests so far */
let responses: Response[];
beforeEach(async () => {
  responses = [];
  const app = express()
    .use(closeStalledResponses(STALL_MS))
    .use((_request, response) => {
      responses.push(response);
    });
  server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a request, and reads nothing until `resume`. */
async function begin() {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  const send = () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  send();
  await expect.poll(() => responses.length).toBe(1);
  return { socket, send, response: responses[0] as Response };
}

it("a connection whose caller takes nothing of the response is closed", async () => {
  const { socket, response } = await begin();
  // More than the buffers of a connection hold.
  response.write(Buffer.alloc(64 * 1024 * 1024));
  await once(response, "close");
  expect(response.writableFinished).toBe(false);
  socket.destroy();
});

it("a request may be handled for longer, and its connection may be used again later", async () => {
  const { socket, send, response } = await begin();
  await sleep(4 * STALL_MS);
  response.end("first");
  expect(String(await once(socket, "data"))).toMatch(/first$/);
  await sleep(4 * STALL_MS);
  send();
  await expect.poll(() => responses.length).toBe(2);
  socket.destroy();
});
