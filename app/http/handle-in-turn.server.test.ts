import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import express, { type Response } from "express";
import { afterEach, beforeEach, expect, it } from "vitest";
import { handleInTurn } from "./handle-in-turn.server";

let server: Server;
/** of the requests that are being handled or were, in order */
let handled: { path: string; response: Response }[];
beforeEach(async () => {
  handled = [];
  const app = express()
    .use(handleInTurn())
    .use(({ path }, response) => {
      handled.push({ path, response });
    });
  server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends `count` requests at once, for /1, /2 and so on. */
function send(count: number) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const paths = Array.from({ length: count }, (_, index) => `/${index + 1}`);
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  // The server may close the connection while requests still arrive.
  socket.on("error", () => {});
  return { socket, paths, received: () => text };
}

const handledPaths = () => handled.map(({ path }) => path);

it("requests of one connection are handled one after the other, in order", async () => {
  const { socket, paths, received } = send(11);
  for (const [index, path] of paths.entries()) {
    await expect.poll(handledPaths).toEqual(paths.slice(0, index + 1));
    handled[index]?.response.end(`response to ${path}\n`);
  }
  await expect
    .poll(() => received().match(/response to .*/g))
    .toEqual(paths.map((path) => `response to ${path}`));
  socket.destroy();
});

it("a connection with more requests at once is closed", async () => {
  const { socket } = send(12);
  await once(socket, "close");
  expect(handledPaths()).toEqual(["/1"]);
});

it("requests of a caller who has gone are not handled", async () => {
  const { socket } = send(5);
  await expect.poll(handledPaths).toEqual(["/1"]);
  const gone = once(handled[0]?.response as Response, "close");
  socket.destroy();
  await gone;
  expect(handledPaths()).toEqual(["/1"]);
});

it("requests behind the last response of a connection are not handled", async () => {
  const { socket } = send(5);
  await expect.poll(handledPaths).toEqual(["/1"]);
  const { response } = handled[0] as (typeof handled)[number];
  response.set("Connection", "close").end();
  await once(response, "close");
  await once(socket, "close");
  expect(handledPaths()).toEqual(["/1"]);
});

it("requests of different connections are handled at once", async () => {
  const sockets = [send(1), send(1), send(1)].map(({ socket }) => socket);
  await expect.poll(handledPaths).toEqual(["/1", "/1", "/1"]);
  for (const socket of sockets) socket.destroy();
});
