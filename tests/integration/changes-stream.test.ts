/** What open explorers are told of their folder: by two replicas, without a gap, and nothing that their token does not reach. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addCatalogue } from "../../app/catalogue/catalogues.server";
import { readClock, writeObserved } from "../../app/catalogue/objects.sql.server";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { revokeTokens } from "../../app/embed/revoked-tokens.server";
import type { FilesScope } from "../../app/services/files/place/scope.server";
import { databaseOf, makeEmbedClient, type TestEmbedClient } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { makeBucket } from "../support/files/bucket";

const stack = inject("stack");
const CATALOGUES = { CATALOGUE_MAX_LAG_SECONDS: "3600" };
let replicas: [RouteApp, RouteApp];
let client: TestEmbedClient;
beforeAll(async () => {
  replicas = [createRouteApp(stack, CATALOGUES), createRouteApp(stack, CATALOGUES)];
  const bucket = await makeBucket(stack);
  client = await makeEmbedClient(stack, { bucket: bucket.name });
  const { id } = await addCatalogue(databaseOf(stack), bucket.name);
  await databaseOf(stack).catalogue.update({ where: { id }, data: { scannedAt: new Date() } });
});
afterAll(async () => {
  for (const app of replicas) app.changeReader.close();
  await Promise.all(replicas.map((app) => app.close()));
});

const stored = { size: 3, etag: '"e"', lastModified: new Date("2026-01-01T00:00:00Z") };

/** Somebody else adds or, with null, deletes a file. */
async function note(key: string, object: typeof stored | null = stored) {
  const database = databaseOf(stack);
  await writeObserved(database, [{ bucket: client.bucket, key, asOf: await readClock(database), object }]);
}

function tokenOf(
  scope: Partial<FilesScope> = {},
  { visitor = "ada" as string | null, seconds = 900, origins = [] as string[] } = {},
) {
  const now = Math.floor(Date.now() / 1000);
  return signEmbedToken(
    {
      cid: client.id,
      companyId: client.companyId,
      svc: "files",
      ...(visitor !== null && { visitor: { id: visitor } }),
      origins,
      iat: now,
      exp: now + seconds,
      scope: { bucket: client.bucket, ...scope },
    },
    stack.embedSigningSecret,
  );
}

interface Message {
  id?: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: as the test expects it
  data: any;
}

/** Opens a stream, and collects what it tells. */
async function follow(
  app: RouteApp,
  query: Record<string, string> = {},
  token = tokenOf(),
  headers: Record<string, string> = {},
) {
  const leave = new AbortController();
  const parameters = new URLSearchParams({ bucket: client.bucket, folderPath: "/", ...query });
  const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/changes?${parameters}`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
    signal: leave.signal,
  });
  const messages: Message[] = [];
  const stream = { response, messages, hasEnded: false, leave: () => leave.abort(), text: "" };
  void (async () => {
    const decoder = new TextDecoder();
    let open = "";
    for await (const chunk of response.clone().body ?? []) {
      const text = decoder.decode(chunk, { stream: true });
      stream.text += text;
      open += text;
      const blocks = open.split("\n\n");
      open = blocks.pop() ?? "";
      for (const block of blocks) {
        const members = Object.fromEntries(
          block.split("\n").map((line) => [line.split(": ")[0], line.slice(line.indexOf(": ") + 2)]),
        );
        if (members.data)
          messages.push({ ...(members as unknown as Message), data: JSON.parse(members.data) });
      }
    }
    stream.hasEnded = true;
  })().catch(() => {
    stream.hasEnded = true;
  });
  return stream;
}
type Stream = Awaited<ReturnType<typeof follow>>;

const keysOf = ({ messages }: Stream) =>
  messages.flatMap(({ data }) => (data.files ?? []).map(({ key }: { key: string }) => key));
const lastId = ({ messages }: Stream) => messages.findLast(({ id }) => id)?.id ?? "";

let folders = 0;
/** A folder of a test's own. */
const newFolder = () => `folder-${process.pid}-${folders++}`;

describe("a stream", () => {
  it("tells both replicas what is added, changed and deleted directly in the folder", async () => {
    const folder = newFolder();
    const streams = await Promise.all(replicas.map((app) => follow(app, { folderPath: `/${folder}` })));
    for (const { response } of streams) {
      expect(response.status).toBe(200);
      expect(response.headers.get("Content-Type")).toBe("text/event-stream");
      expect(response.headers.get("X-Accel-Buffering")).toBe("no");
      expect(response.headers.get("Cache-Control")).toContain("no-transform");
    }
    await note(`${folder}/a.txt`);
    await note(`${folder}/deep/er/b.txt`);
    for (const stream of streams) {
      await expect.poll(() => keysOf(stream)).toEqual([`${folder}/a.txt`]);
      const file = stream.messages.flatMap(({ data }) => data.files)[0];
      expect(file).toEqual({
        name: "a.txt",
        key: `${folder}/a.txt`,
        size: 3,
        lastModified: "2026-01-01T00:00:00.000Z",
        etag: '"e"',
      });
      await expect
        .poll(() => stream.messages.flatMap(({ data }) => data.folders))
        .toEqual([{ name: "deep", path: `/${folder}/deep` }]);
    }
    await note(`${folder}/a.txt`, null);
    await note(`${folder}/deep/er/b.txt`, null);
    for (const stream of streams) {
      await expect
        .poll(() => stream.messages.flatMap(({ data }) => [...data.deleted, ...data.deletedFolders]).sort())
        .toEqual([`/${folder}/deep`, `${folder}/a.txt`]);
      stream.leave();
    }
  });

  it("goes on at the other replica where it was cut off", async () => {
    const folder = newFolder();
    const query = { folderPath: `/${folder}` };
    const first = await follow(replicas[0], query);
    await note(`${folder}/1`);
    await expect.poll(() => keysOf(first)).toEqual([`${folder}/1`]);
    const after = lastId(first);
    first.leave();
    await note(`${folder}/2`);
    const second = await follow(replicas[1], { ...query, after });
    await note(`${folder}/3`);
    await expect.poll(() => keysOf(second).sort()).toEqual([`${folder}/2`, `${folder}/3`]);
    second.leave();
  });

  it("says that the folder has to be listed again after a gap, or with a position of another database", async () => {
    const { messages } = await follow(replicas[0], { once: "true" });
    await expect.poll(() => messages).toMatchObject([{ event: "changes" }]);
    const [time, snapshot] = (messages[0]?.id ?? "").split(".");
    for (const after of [
      "rubbish",
      `${Number(time) - 3_600}.${snapshot}`,
      `${time}.999999999999:999999999999:`,
    ]) {
      const stream = await follow(replicas[0], { once: "true", after });
      await expect.poll(() => stream.messages).toMatchObject([{ event: "reload", data: {} }]);
    }
  });

  it("ends at once if it is asked to, with what has happened since", async () => {
    const folder = newFolder();
    const query = { folderPath: `/${folder}`, once: "true" };
    const first = await follow(replicas[0], query);
    await expect.poll(() => first.hasEnded).toBe(true);
    await note(`${folder}/1`);
    const second = await follow(replicas[1], { ...query, after: lastId(first) });
    await expect.poll(() => second.hasEnded).toBe(true);
    expect(keysOf(second)).toEqual([`${folder}/1`]);
  });

  it("ends when the token expires or is revoked, and when the process stops", async () => {
    const expiring = await follow(replicas[0], {}, tokenOf({}, { seconds: 2 }));
    const revoked = await follow(replicas[0], {}, tokenOf({}, { visitor: "revoked" }));
    const other = await follow(replicas[0]);
    await revokeTokens(databaseOf(stack), client.id, { visitor: "revoked" }, Math.floor(Date.now() / 1000));
    await expect.poll(() => expiring.hasEnded, { timeout: 10_000 }).toBe(true);
    await expect.poll(() => revoked.hasEnded, { timeout: 10_000 }).toBe(true);
    expect(other.hasEnded).toBe(false);
    const stopping = createRouteApp(stack, CATALOGUES);
    const last = await follow(stopping);
    stopping.changeReader.close();
    await expect.poll(() => last.hasEnded).toBe(true);
    other.leave();
    await stopping.close();
  });

  it("counts as the requests that a long list counts as, however little it tells", async () => {
    const app = createRouteApp(stack, { ...CATALOGUES, RATE_LIMIT_PER_TOKEN: "10" });
    const token = tokenOf({}, { visitor: `often-${process.pid}` });
    const statuses = [];
    for (let asked = 0; asked < 3; asked++) {
      const { response } = await follow(app, { once: "true" }, token);
      statuses.push(response.status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    await app.close();
  });

  it("is one of few for a visitor, and makes room when it ends", async () => {
    const token = tokenOf({}, { visitor: "many" });
    const streams = await Promise.all(Array.from({ length: 10 }, () => follow(replicas[0], {}, token)));
    const refused = await follow(replicas[0], {}, token);
    expect(refused.response.status).toBe(429);
    const ofOther = await follow(replicas[0], {}, tokenOf({}, { visitor: "other" }));
    expect(ofOther.response.status).toBe(200);
    streams[0]?.leave();
    const admitted = await follow(replicas[0], {}, token);
    expect(admitted.response.status).toBe(200);
    for (const stream of [...streams, ofOther, admitted]) stream.leave();
  });

  it("is one of few for a token without a visitor, however its header is written", async () => {
    const token = tokenOf({}, { visitor: null });
    const written = ["Bearer ", "bearer ", "BEARER ", "Bearer  ", "bEARER "];
    const streams: Stream[] = [];
    for (const scheme of [...written, ...written])
      streams.push(await follow(replicas[0], {}, token, { Authorization: scheme + token }));
    expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200));
    const refused = await follow(replicas[0], {}, token, { Authorization: `bEaReR ${token}` });
    expect(refused.response.status).toBe(429);
    for (const stream of [...streams, refused]) stream.leave();
  });

  it("of a caller who reads nothing is cut off", async () => {
    const folder = newFolder();
    const parameters = new URLSearchParams({ bucket: client.bucket, folderPath: `/${folder}` });
    const app = createRouteApp(stack, CATALOGUES);
    const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/changes?${parameters}`, {
      headers: { Authorization: `Bearer ${tokenOf()}` },
    });
    const database = databaseOf(stack);
    const name = "n".repeat(800);
    const keys = Array.from({ length: 30 }, (_, index) => `${folder}/${name}${index}`);
    for (let round = 0; app.changeReader.listeners > 0 && round < 20; round++) {
      const { position } = app.changeReader;
      const asOf = await readClock(database);
      const object = { ...stored, size: round };
      await writeObserved(
        database,
        keys.map((key) => ({ bucket: client.bucket, key, asOf, object })),
      );
      // Then a message has been sent.
      await expect.poll(() => app.changeReader.position).not.toBe(position);
    }
    await expect.poll(() => app.changeReader.listeners, { timeout: 10_000 }).toBe(0);
    await response.body?.cancel();
    await app.close();
  });
});

describe("nobody is told of", () => {
  it("a folder outside of the token's, another bucket, or on a hand-in page", async () => {
    const folder = newFolder();
    const scoped = tokenOf({ path: `/${folder}` });
    for (const [query, token, code] of [
      [{ folderPath: "/" }, scoped, "scope_not_allowed"],
      [{ folderPath: `/${folder}2` }, scoped, "scope_not_allowed"],
      [{ bucket: "other" }, scoped, "scope_not_allowed"],
      [{}, tokenOf({ view: "hand-in", actions: ["upload"] }), "scope_not_allowed"],
      [{}, "no token", "invalid_token"],
      [{}, tokenOf({}, { seconds: -1 }), "token_expired"],
    ] as const) {
      const { response } = await follow(replicas[0], query, token);
      expect(await response.json()).toMatchObject({ code });
    }
    const elsewhere = tokenOf({}, { origins: ["https://portal.example"] });
    const { response } = await follow(replicas[0], {}, elsewhere, { Origin: "https://evil.example" });
    expect(await response.json()).toMatchObject({ code: "origin_not_allowed" });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  it("what is beside the token's folder, also not by a name that begins alike", async () => {
    const folder = newFolder();
    const stream = await follow(replicas[0], { folderPath: `/${folder}` }, tokenOf({ path: `/${folder}` }));
    await note(`${folder}2/secret.txt`);
    await note("secret.txt");
    await note(`${folder}/mine.txt`);
    await expect.poll(() => keysOf(stream)).toEqual([`${folder}/mine.txt`]);
    expect(stream.text).not.toContain("secret");
    stream.leave();
  });

  it("what is beside the token's folder, to who asks for everything below", async () => {
    const folder = newFolder();
    const scoped = tokenOf({ path: `/${folder}` });
    const refused = await follow(replicas[0], { folderPath: "/", below: "true" }, scoped);
    expect(await refused.response.json()).toMatchObject({ code: "scope_not_allowed" });
    const stream = await follow(replicas[0], { folderPath: `/${folder}`, below: "true" }, scoped);
    await note(`${folder}2/deep/secret.txt`);
    await note("deep/secret.txt");
    await note(`${folder}/deep/er/mine.txt`);
    await expect.poll(() => keysOf(stream)).toEqual([`${folder}/deep/er/mine.txt`]);
    const foldersOf = ({ messages }: Stream) => messages.flatMap(({ data }) => data.folders ?? []);
    expect(foldersOf(stream).map(({ path }) => path)).toEqual([`/${folder}/deep`, `/${folder}/deep/er`]);
    const other = await follow(replicas[1], { folderPath: `/${folder}`, after: lastId(stream) }, scoped);
    await note(`${folder}/deep/er/mine.txt`, null);
    await expect
      .poll(() => stream.messages.flatMap(({ data }) => data.deletedFolders ?? []))
      .toEqual([`/${folder}/deep`, `/${folder}/deep/er`]);
    await expect
      .poll(() => other.messages.flatMap(({ data }) => data.deletedFolders))
      .toEqual([`/${folder}/deep`]);
    expect(stream.text + other.text).not.toContain("secret");
    stream.leave();
    other.leave();
  });

  it("files that need a tag, buckets without a catalogue, and without the setting", async () => {
    const tagged = await follow(replicas[0], {}, tokenOf({ requireTag: { key: "scan", value: "clean" } }));
    await expect.poll(() => tagged.messages).toEqual([{ event: "unavailable", data: {} }]);
    expect(tagged.hasEnded).toBe(true);
    const search = { below: "true" };
    const below = await follow(replicas[0], search, tokenOf({ requireTag: { key: "scan", value: "clean" } }));
    await expect.poll(() => below.messages).toEqual([{ event: "unavailable", data: {} }]);
    const plain = createRouteApp(stack);
    const without = await follow(plain);
    await expect.poll(() => without.messages).toEqual([{ event: "unavailable", data: {} }]);
    await plain.close();
  });
});
