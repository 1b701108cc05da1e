import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import express, { type Response } from "express";
import { afterEach, beforeEach, expect, it } from "vitest";
import { closeStalledResponses } from "./close-stalled-responses.server";
import { handleInTurn } from "./handle-in-turn.server";

const STALL_MS = 50;

let server: Server;
/** of the requests so far */
let responses: Response[];
beforeEach(async () => {
  responses = [];
  const app = express()
    .use(handleInTurn())
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

/** Sends some requests at once, and reads nothing until `resume`. */
async function begin(count = 1) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  const send = (count: number) => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count));
  send(count);
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
  send(1);
  await expect.poll(() => responses.length).toBe(2);
  socket.destroy();
});

it("a request that has waited behind another one may be handled for longer, too", async () => {
  const { socket, response } = await begin(2);
  response.end("first");
  expect(String(await once(socket, "data"))).toMatch(/first$/);
  await expect.poll(() => responses.length).toBe(2);
  await sleep(4 * STALL_MS);
  expect(socket.destroyed).toBe(false);
  responses[1]?.end("second");
  expect(String(await once(socket, "data"))).toMatch(/second$/);
  socket.destroy();
});
