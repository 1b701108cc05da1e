/** Searches and changes at once. The store holds back its responses about one bucket, so that requests run as long as a test wants. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { writeObjects } from "../support/files/many-objects";

const stack = inject("stack");
let store: FaultyStore;
let app: RouteApp;
let held: Promise<void>;
let letStoreAnswer: () => void;
beforeAll(async () => {
  store = await startFaultyStore(stack, (dataDir) => {
    for (const bucket of ["busy", "busy-too", "calm"]) writeObjects(dataDir, bucket, ["docs/a.txt"]);
  });
});
afterAll(() => store?.close());
beforeEach(() => {
  held = new Promise<void>((resolve) => {
    letStoreAnswer = resolve;
  });
  store.requests.length = 0;
  store.intercept = async ({ bucket }) => {
    if (bucket !== "calm") await held;
    return undefined;
  };
});
afterEach(async () => {
  letStoreAnswer();
  await app?.close();
});

function tokenOf(
  companyId: string,
  bucket: string,
  number = 0,
  actions = ["organize", "delete"],
  visitor?: { id: string },
): string {
  const now = Math.floor(Date.now() / 1000);
  const scope = { bucket, actions };
  const times = { iat: now, exp: now + 900 + number };
  const claims = {
    cid: `client of ${companyId}`,
    companyId,
    svc: "files",
    origins: [],
    scope,
    visitor,
    ...times,
  };
  return signEmbedToken(claims, stack.embedSigningSecret);
}

async function ask(what: string, token: string, body: object) {
  const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, ...body }),
  });
  const json = await response.json();
  return {
    status: response.status,
    code: json.code,
    json,
    retryAfter: Number(response.headers.get("Retry-After")),
  };
}

const search = (token: string) => ask("search", token, { bucket: "busy", query: "a" });
const list = (token: string) => ask("list", token, { bucket: "calm" });
const busyListings = () => store.requests.filter((line) => line === "GET busy").length;

it("240 searches with 30 tokens of one company: 8 run, the others are refused at once, and lists are answered meanwhile", async () => {
  app = createRouteApp(store.stack);
  const tokens = Array.from({ length: 30 }, (_, number) => tokenOf("one", "busy", number));
  const answers: Awaited<ReturnType<typeof search>>[] = [];
  const searches = Array.from({ length: 240 }, (_, index) =>
    search(tokens[index % 30] ?? "").then((answer) => answers.push(answer)),
  );
  // None of the searches can have ended by itself: the store has not answered yet.
  await expect.poll(() => answers.length).toBe(232);
  for (const { status, code, retryAfter } of answers) {
    expect([status, code]).toEqual([429, "rate_limited"]);
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(3);
  }
  await expect.poll(busyListings).toBe(8);

  for (let count = 0; count < 20; count++) {
    expect((await list(tokenOf("another", "calm"))).status).toBe(200);
    expect((await list(tokenOf("one", "calm"))).status).toBe(200);
  }
  expect(answers).toHaveLength(232);

  letStoreAnswer();
  await Promise.all(searches);
  expect(answers.slice(232).map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect((await search(tokens[0] ?? "")).status).toBe(200);
});

it("8 searches list 4 folders at once; lists are answered meanwhile, and searches that get no turn end with a cursor", async () => {
  app = createRouteApp(store.stack);
  let listings = 0;
  store.intercept = async ({ bucket, query }) => {
    if (bucket === "calm" || query.has("delimiter")) return undefined;
    listings++;
    await held;
    return undefined;
  };
  const token = tokenOf("one", "busy");
  const tokens = [token, tokenOf("one", "busy", 1)];
  const answers: object[] = [];
  const searches = Array.from({ length: 8 }, (_, index) =>
    search(tokens[index % 2] ?? "").then((answer) => answers.push(answer)),
  );
  await expect.poll(() => listings).toBe(4);
  for (let count = 0; count < 20; count++) expect((await list(tokenOf("another", "calm"))).status).toBe(200);
  await expect.poll(() => answers.length, { timeout: 10_000 }).toBe(4);
  const unsearched = { status: 200, json: { files: [], scanned: 0, cursor: expect.any(String) } };
  expect(answers).toMatchObject(Array(4).fill(unsearched));
  expect(listings).toBe(4);
  letStoreAnswer();
  await Promise.all(searches);
  const found = { status: 200, json: { files: [{ key: "docs/a.txt" }], cursor: null } };
  expect(answers.slice(4)).toMatchObject(Array(4).fill(found));
  expect(await search(token)).toMatchObject(found);
});

it("requests that look up many objects one by one count, and those for a few do not", async () => {
  app = createRouteApp(store.stack);
  const tokens = [0, 1].map((number) => tokenOf("one", "busy", number, ["download"]));
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `docs/${index}.png`);
  const presign = (count: number, index = 0) =>
    ask("presign-downloads", tokens[index % 2] ?? "", {
      bucket: "busy",
      keys: keys(count),
      disposition: "inline",
    });
  const answers: number[] = [];
  const asked = Array.from({ length: 30 }, (_, index) =>
    presign(11, index).then(({ status }) => answers.push(status)),
  );
  await expect.poll(() => answers).toEqual(Array(22).fill(429));
  const few = presign(10);
  letStoreAnswer();
  await Promise.all(asked);
  expect([answers.slice(22), (await few).status]).toEqual([Array(8).fill(200), 200]);
});

it("one visitor gets half of what the company has, with any number of tokens, and the others the rest", async () => {
  app = createRouteApp(store.stack);
  const tokenFor = (visitor: string, number: number) =>
    tokenOf("one", "busy", number, ["organize"], { id: visitor });
  const refused: object[] = [];
  const searches = Array.from({ length: 20 }, (_, number) =>
    search(tokenFor("greedy", number)).then((answer) =>
      answer.status === 200 ? answer : refused.push(answer),
    ),
  );
  await expect.poll(() => refused).toHaveLength(16);
  expect(refused[0]).toMatchObject({ status: 429, code: "rate_limited" });
  const others = [1, 2, 3, 4].map((number) => search(tokenFor(`visitor ${number}`, number)));
  await expect.poll(busyListings).toBe(8);
  letStoreAnswer();
  for (const { status } of await Promise.all(others)) expect(status).toBe(200);
  await Promise.all(searches);
  expect((await search(tokenFor("greedy", 0))).status).toBe(200);
});

it("changes count together with searches, and no company gets more than the process has", async () => {
  app = createRouteApp(store.stack, { HEAVY_REQUESTS_PER_COMPANY: "2", HEAVY_REQUESTS_PER_PROCESS: "3" });
  const [one, other] = [tokenOf("one", "busy"), tokenOf("other", "busy-too")];
  const copy = { items: [{ folderPath: "/docs" }], to: "/to", onConflict: "fail" };
  const running = [
    search(one),
    ask("move", other, { ...copy, bucket: "busy-too" }),
    ask("search", tokenOf("other", "busy-too", 1), { bucket: "busy-too", query: "a" }),
  ];
  await expect.poll(() => store.requests.length).toBe(3);
  const changes = {
    search: { query: "a" },
    copy,
    move: copy,
    delete: { items: copy.items },
    restore: { undo: "x" },
    "take-back": { bucket: undefined, takeBack: "x" },
  };
  for (const [what, body] of Object.entries(changes)) {
    // The process has three running, `other` two of them.
    const busy = await ask(what, tokenOf("one", "busy", 1), { bucket: "busy", ...body });
    expect(busy).toMatchObject({ status: 503, code: "unavailable" });
    expect(busy.retryAfter).toBeGreaterThanOrEqual(1);
    expect(await ask(what, other, { bucket: "busy-too", ...body })).toMatchObject({
      status: 429,
      code: "rate_limited",
    });
  }
  expect((await list(tokenOf("third", "calm"))).status).toBe(200);
  letStoreAnswer();
  for (const { status } of await Promise.all(running)) expect(status).toBe(200);
  expect((await search(one)).status).toBe(200);
});

it("two companies that ask for all places leave some to the others", async () => {
  app = createRouteApp(store.stack);
  const answers: Awaited<ReturnType<typeof search>>[] = [];
  const running = ["one", "two"].flatMap((company) =>
    Array.from({ length: 20 }, (_, number) =>
      search(tokenOf(company, "busy", number)).then((answer) => answers.push(answer)),
    ),
  );
  await expect.poll(() => answers.length).toBe(27);
  const others = ["three", "four"].map((company) => search(tokenOf(company, "busy")));
  await expect.poll(busyListings).toBe(15);
  letStoreAnswer();
  for (const { status } of await Promise.all(others)) expect(status).toBe(200);
  await Promise.all(running);
  expect(answers.map(({ code }) => code)).toEqual([
    ...Array(12).fill("rate_limited"),
    ...Array(15).fill("unavailable"),
    ...Array(13).fill(undefined),
  ]);
});
