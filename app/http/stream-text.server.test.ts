import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { writeReadableStreamToWritable } from "@remix-run/node";
import { afterEach, expect, it, vi } from "vitest";
import { findFreePort } from "../../tests/support/machine/free-port";
import { AppError } from "../shared/app-error";
import { standardError } from "../shared/log.server";
import { contextOf, type RequestContext } from "../shared/request-context.server";
import { streamText } from "./stream-text.server";

const PIECE = "x".repeat(64 * 1024);
const PIECES = 2_000;
const somebody = { identity: "somebody", check: async (): Promise<void> => {} };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  vi.restoreAllMocks();
});

/** A server that sends the pieces as Remix's adapter does. */
async function serve(pieces: () => AsyncGenerator<string, void>, check = somebody.check): Promise<string> {
  const server = createServer(async (_, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const request = new Request("http://127.0.0.1/", { signal: gone.signal });
    const { body } = await streamText(
      pieces(),
      { ...somebody, check },
      contextOf(request, "/", { response }),
      {},
    );
    if (body) await writeReadableStreamToWritable(body, response).catch(() => {});
  });
  servers.push(server);
  const port = await findFreePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${port}`;
}

/** What has been made so far, and whether it has ended. */
function countedPieces(failsAfter = Number.POSITIVE_INFINITY) {
  const state = { made: 0, hasEnded: false };
  async function* pieces() {
    try {
      for (; state.made < PIECES; state.made++) {
        if (state.made === failsAfter) throw new Error("the database is down");
        yield PIECE;
      }
    } finally {
      state.hasEnded = true;
    }
  }
  return { state, pieces };
}

/** Opens a response and reads nothing of it. */
async function open(url: string): Promise<IncomingMessage> {
  const request = get(url);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

it("makes the next piece when the caller has taken the one before, and sends all of them", async () => {
  const { state, pieces } = countedPieces();
  const response = await open(await serve(pieces));
  // Another whole response takes longer than what fits into the connection's buffers.
  await (await fetch(await serve(countedPieces().pieces))).arrayBuffer();
  expect(state.made).toBeLessThan(PIECES / 2);
  let length = 0;
  for await (const chunk of response) length += (chunk as Buffer).length;
  expect([length, state.made, response.complete]).toEqual([PIECES * PIECE.length, PIECES, true]);
});

it("makes no more when the caller has gone", async () => {
  const { state, pieces } = countedPieces();
  const response = await open(await serve(pieces));
  response.destroy();
  await expect.poll(() => state.hasEnded, { timeout: 10_000 }).toBe(true);
  expect(state.made).toBeLessThan(PIECES);
});

it("breaks the connection off after an error, and logs it", async () => {
  const log = vi.spyOn(standardError, "write").mockImplementation(() => {});
  const response = await fetch(await serve(countedPieces(3).pieces));
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  expect(log.mock.lastCall?.[0]).toContain("A response was interrupted.");
});

it("ends when the credential of its caller has been revoked meanwhile", async () => {
  vi.spyOn(standardError, "write").mockImplementation(() => {});
  const { state, pieces } = countedPieces();
  const check = async () => {
    if (state.made >= 3) throw new AppError("token_revoked", "The embed token was revoked.");
  };
  const response = await fetch(await serve(pieces, check));
  await expect(response.arrayBuffer()).rejects.toThrow();
  expect([state.made, state.hasEnded]).toEqual([3, true]);
});

it("throws an error before the first piece, so that it gets an ordinary response", async () => {
  const context = contextOf(new Request("http://127.0.0.1/"), "/");
  await expect(streamText(countedPieces(0).pieces(), somebody, context, {})).rejects.toThrow(
    "the database is down",
  );
});

it("makes one piece at a time, however many responses somebody has opened, and those of others by turns", async () => {
  const made: string[] = [];
  let [making, most] = [0, 0];
  async function* pieces(of: string) {
    for (let piece = 0; piece < 3; piece++) {
      most = Math.max(most, ++making);
      await nextTurn();
      making -= 1;
      made.push(of);
      yield of;
    }
  }
  const context = contextOf(new Request("http://127.0.0.1/"), "/");
  const read = async (identity: string) =>
    (await streamText(pieces(identity), { ...somebody, identity }, context, {})).text();
  const texts = await Promise.all([...Array(11).fill("many"), "one"].map(read));
  expect([texts.at(-1), texts.length, most]).toEqual(["oneoneone", 12, 1]);
  // Every second piece at most is somebody else's.
  expect(made.lastIndexOf("one")).toBeLessThan(12);
});

it("lets nobody wait with more than ten, and makes no piece for whoever has gone, is late or was revoked", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const made: string[] = [];
  async function* pieces(of: string) {
    if (of === "slow") await held;
    made.push(of);
    yield of;
  }
  const ask = (of: string, identity = of, changes: Partial<RequestContext> = {}, check = somebody.check) =>
    streamText(
      pieces(of),
      { identity, check },
      { ...contextOf(new Request("http://127.0.0.1/"), "/"), ...changes },
      {},
    );
  const slow = ask("slow");
  const gone = new AbortController();
  const waiting = Array.from({ length: 10 }, () => ask("many", "many", { signal: gone.signal }));
  const ends = Promise.allSettled(waiting);
  await expect(ask("many")).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterSeconds: expect.any(Number),
  });
  const late = ask("late", "late", { deadline: performance.now() });
  await expect(late).rejects.toMatchObject({ code: "unavailable" });
  const revoked = ask("revoked", "revoked", {}, async () => {
    throw new AppError("token_revoked", "The embed token was revoked.");
  });
  const refused = expect(revoked).rejects.toMatchObject({ code: "token_revoked" });
  gone.abort();
  expect(await ends).toMatchObject(Array(10).fill({ reason: { code: "unavailable" } }));
  const next = ask("many");
  release();
  expect(await (await slow).text()).toBe("slow");
  expect(await (await next).text()).toBe("many");
  await refused;
  expect(made).toEqual(["slow", "many"]);
});
