/** Which operation takes which right, at its source and at its target: for tokens that may browse and upload in different folders. */

import { readdirSync } from "node:fs";
import { isInside } from "platform-embed-element/client";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { type ScopeAction, scopeActions } from "../../app/services/files/place/actions";
import type { FilesScope } from "../../app/services/files/place/scope.server";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { routeOfFile } from "../support/app/route-files";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";

const stack = inject("stack");
const PREFIX = "/api/embed/storage/";
let app: RouteApp;
let calls: ChangeCalls;
let everything: string;
beforeAll(async () => {
  app = createRouteApp(stack);
  calls = await openChanges(stack, app.fetch);
  await calls.keepVersions();
  everything = tokenOf({ actions: [...scopeActions] });
});
afterAll(() => app?.close());

function tokenOf(scope: Partial<FilesScope>, visitor = "ada"): string {
  const now = Math.floor(Date.now() / 1000);
  return signEmbedToken(
    {
      cid: calls.client.id,
      companyId: "company",
      svc: "files",
      visitor: { id: visitor },
      origins: [],
      iat: now,
      exp: now + 900,
      scope: { bucket: calls.bucket.name, ...scope },
    },
    stack.embedSigningSecret,
  );
}

async function ask(what: string, body: object, token: string) {
  const isOfHandle = /^(multipart\/(sign|list|complete|abort)|take-back)$/.test(what);
  const bucket = isOfHandle ? {} : { bucket: calls.bucket.name };
  const response = await app.fetch(`${app.platformBaseUrl}${PREFIX}${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, ...bucket, ...body }),
  });
  return { status: response.status, body: await response.json() };
}

let made = 0;
const newName = () => `${made++}.txt`;
const fileOf = (folder: string, name: string) => ({
  folderPath: folder,
  fileName: name,
  contentType: "text/plain",
});
const keyOf = (folder: string, name: string) => `${folder}/${name}`.slice(1);
const target = (to: string) => ({ to, onConflict: "fail" });
const ofFile = (folder: string, name: string) => ({ items: [{ key: keyOf(folder, name) }] });
const newUpload = async (folder: string) =>
  (await ask("multipart/create", { ...fileOf(folder, newName()), size: 9, ifNoneMatch: true }, everything))
    .body.upload;

interface Right {
  /** `read`: where the token may browse. `write`: where it may upload. `both`: where it may do both */
  at: "read" | "write" | "both";
  actions: readonly ScopeAction[];
  /** The request about the file `name` of the folder, which may not exist. `elsewhere`: a folder in which the token may do all that is needed */
  body(folder: string, name: string, elsewhere: string): object | Promise<object>;
}
const of = (at: Right["at"], actions: Right["actions"], body: Right["body"]): Right => ({
  at,
  actions,
  body,
});

const operations: Record<string, Right> = {
  list: of("read", [], (folder) => ({ folderPath: folder })),
  "list at": of("read", ["history"], (folder) => ({ folderPath: folder, at: new Date().toISOString() })),
  search: of("read", [], (folder, name) => ({ folderPath: folder, query: name })),
  sizes: of("read", [], (folder) => ({ folderPaths: [folder] })),
  activity: of("read", ["activity"], (folder, name) => ({ key: keyOf(folder, name) })),
  "presign-download": of("read", ["download"], (folder, name) => ({
    key: keyOf(folder, name),
    disposition: "inline",
  })),
  versions: of("read", ["history"], (folder, name) => ({ key: keyOf(folder, name) })),
  deleted: of("read", ["history"], (folder) => ({ folderPath: folder })),
  "change-times": of("read", ["history"], (folder) => ({
    folderPath: folder,
    from: "2026-01-01T00:00:00Z",
    to: "2026-01-02T00:00:00Z",
  })),
  "copy from": of("read", ["organize"], (folder, name, to) => ({ ...ofFile(folder, name), ...target(to) })),
  "copy to": of("write", ["organize"], async (folder, name, from) => ({
    ...ofFile(from, await copiable(from, name)),
    ...target(folder),
  })),
  "move from": of("both", ["organize"], (folder, name, to) => ({ ...ofFile(folder, name), ...target(to) })),
  rename: of("both", ["organize"], (folder, name) => ({
    ...ofFile(folder, name),
    ...target(folder),
    name: newName(),
  })),
  delete: of("both", ["delete"], (folder, name) => ofFile(folder, name)),
  "delete check": of("both", ["delete"], (folder, name) => ({ ...ofFile(folder, name), check: true })),
  "restore versions": of("both", ["history"], (folder, name) => ({
    items: [{ key: keyOf(folder, name), versionId: "v" }],
    onConflict: "replace",
  })),
  "restore deleted": of("both", ["delete"], async (folder) => {
    const name = await existing(folder);
    return { undo: (await ask("delete", ofFile(folder, name), everything)).body.undo };
  }),
  "restore created": of("write", ["delete"], async (folder) => {
    const name = await existing("/elsewhere");
    const { body } = await ask("copy", { ...ofFile("/elsewhere", name), ...target(folder) }, everything);
    return { undo: body.undo };
  }),
  purge: of("both", ["purge"], (folder, name) => ({ items: [{ key: keyOf(folder, name) }] })),
  "create-folder": of("write", ["upload"], (folder) => ({ folderPath: folder, name: newName() })),
  "presign-upload": of("write", ["upload"], (folder, name) => ({ ...fileOf(folder, name), size: 1 })),
  uploaded: of("write", ["upload"], (folder, name) => ({ keys: [keyOf(folder, name)] })),
  "multipart/create": of("write", ["upload"], (folder) => ({
    ...fileOf(folder, newName()),
    size: 9,
    ifNoneMatch: true,
  })),
  "multipart/find": of("write", ["upload"], (folder, name) => ({
    ...fileOf(folder, name),
    size: 9,
    ifNoneMatch: true,
  })),
  "multipart/sign": of("write", ["upload"], async (folder) => ({
    upload: await newUpload(folder),
    parts: [{ number: 1 }],
  })),
  "multipart/list": of("write", ["upload"], async (folder) => ({ upload: await newUpload(folder) })),
  "multipart/complete": of("write", ["upload"], async (folder) => ({ upload: await newUpload(folder) })),
  "multipart/abort": of("write", ["upload"], async (folder) => ({ upload: await newUpload(folder) })),
};
/** Told for each file, without a folder, or tested where hand-in pages are. */
const others = ["presign-downloads", "quota", "recent", "take-back", "diagnose", "changes"];

async function existing(folder: string): Promise<string> {
  const name = newName();
  await calls.bucket.put(keyOf(folder, name), name);
  return name;
}
/** The file of a source, whose name may or may not be taken in the target. */
async function copiable(folder: string, name: string): Promise<string> {
  await calls.bucket.put(keyOf(folder, name), `a copy of ${name}`);
  return name;
}
async function upload(folder: string, name: string, token: string): Promise<void> {
  const { body } = await ask("presign-upload", { ...fileOf(folder, name), size: 1 }, token);
  expect((await fetch(body.url, { method: "PUT", headers: body.headers, body: "x" })).status).toBe(200);
}
const pathOf = (operation: string) => operation.split(" ")[0] ?? "";

it("is tested of every operation", () => {
  const routes = readdirSync("app/routes").map((file) => `/${routeOfFile(`app/routes/${file}`)}`);
  const paths = routes.flatMap((route) => route.split(PREFIX)[1] ?? []);
  const tested = [...Object.keys(operations).map(pathOf), "move", ...others];
  expect(paths.length).toBeGreaterThan(20);
  expect([...new Set(tested)].map((path) => (path === "rename" ? "move" : path)).sort()).toEqual(
    expect.arrayContaining(paths),
  );
});

describe.each([
  ["uploads to more than it browses", { path: "/a/b", uploadFolder: "/a" }],
  ["browses more than it uploads to", { path: "/a", uploadFolder: "/a/b" }],
  ["browses and uploads in different folders", { path: "/a", uploadFolder: "/c" }],
  ["has one folder", { path: "/a" }],
] satisfies [string, { path: string; uploadFolder?: string }][])(
  "a token that %s",
  (_, scope: { path: string; uploadFolder?: string }) => {
    const may = (right: Right["at"], folder: string) => {
      const [read, write] = [
        isInside(folder, scope.path),
        isInside(folder, scope.uploadFolder ?? scope.path),
      ];
      return { read, write, both: read && write }[right];
    };
    const places = ["/a", "/a/b", "/c", "/d"];
    const readable = scope.path;
    const writable = scope.uploadFolder ?? scope.path;

    it.each(Object.entries(operations))(
      "may %s where it should, and learns nothing of other places",
      async (what, { at, actions, body }) => {
        const elsewhere = what === "copy to" ? readable : writable;
        const path = what === "rename" ? "move" : pathOf(what);
        for (const folder of places) {
          const token = tokenOf({ ...scope, actions: [...actions] });
          const present = await ask(path, await body(folder, await existing(folder), elsewhere), token);
          const absent = await ask(path, await body(folder, newName(), elsewhere), token);
          expect([folder, present.status !== 403, absent.status !== 403]).toEqual([
            folder,
            may(at, folder),
            may(at, folder),
          ]);
          for (const { status } of [present, absent]) expect(status).not.toBe(400);
          if (!may(at, folder)) expect(present).toEqual(absent);
          const without = tokenOf({
            ...scope,
            actions: scopeActions.filter((action) => !actions.includes(action)),
          });
          const refused = actions.length > 0 && !(actions.includes("upload") && what === "create-folder");
          if (refused)
            expect((await ask(path, await body(folder, newName(), elsewhere), without)).status).toBe(403);
        }
      },
    );

    it("downloads several files only where it browses", async () => {
      const names = await Promise.all(places.map(existing));
      const keys = places.map((folder, index) => keyOf(folder, names[index] ?? ""));
      const token = tokenOf({ ...scope, actions: ["download"] });
      const { body } = await ask("presign-downloads", { keys, disposition: "attachment" }, token);
      expect(body.downloads.map(({ error }: { error?: string }) => error)).toEqual(
        places.map((folder) => (may("read", folder) ? undefined : "scope_not_allowed")),
      );
    });

    it("lists the files that were added last only where it browses", async () => {
      const names = places.map(newName);
      const keys = places.map((folder, index) => keyOf(folder, names[index] ?? ""));
      await Promise.all(places.map((folder, index) => upload(folder, names[index] ?? "", everything)));
      expect(await ask("uploaded", { keys }, everything)).toMatchObject({ status: 200 });
      const { body } = await ask("recent", {}, tokenOf({ ...scope, actions: [] }));
      const listed = body.files.map(({ key }: { key: string }) => key);
      expect(keys.map((key) => listed.includes(key))).toEqual(places.map((folder) => may("read", folder)));
    });
  },
);

describe("a token that uploads to more than it browses", () => {
  const scope = { path: "/w/ada", uploadFolder: "/w", actions: [...scopeActions] };

  it("carries nothing into the folder that it browses", async () => {
    await calls.put({ "w/bob/secret.txt": "secret", "w/ada/own.txt": "own" });
    const token = tokenOf(scope);
    for (const items of [[{ key: "w/bob/secret.txt" }], [{ folderPath: "/w/bob" }]])
      for (const what of ["move", "copy"])
        expect((await ask(what, { items, ...target("/w/ada") }, token)).status).toBe(403);
    expect(await calls.below("w")).toEqual({ "bob/secret.txt": "secret", "ada/own.txt": "own" });
  });

  it("removes its own copies where it does not browse, by undoing", async () => {
    await calls.put({ "w/ada/mine.txt": "mine" });
    const token = tokenOf(scope);
    const copied = await ask("copy", { ...ofFile("/w/ada", "mine.txt"), ...target("/w/carol") }, token);
    expect(copied.body.done).toBe(1);
    expect((await ask("restore", { undo: copied.body.undo }, token)).body).toMatchObject({ restored: 1 });
    expect(await calls.keysBelow("w/carol")).toEqual([]);
  });

  it("learns of uploads there only if they are its own", async () => {
    const token = tokenOf(scope);
    const others = tokenOf({ ...scope, path: "/w/bob" }, "bob");
    await upload("/w/inbox", "hers.txt", token);
    await upload("/w/inbox", "his.txt", others);
    const keys = ["w/inbox/hers.txt", "w/inbox/his.txt", "w/inbox/nobodys.txt"];
    for (let times = 0; times < 2; times++) {
      const { body } = await ask("uploaded", { keys }, token);
      expect(body.uploaded.map(({ key }: { key: string }) => key)).toEqual(["w/inbox/hers.txt"]);
    }
    const { body } = await ask("uploaded", { keys }, tokenOf({ actions: [...scopeActions] }));
    expect(body.uploaded).toMatchObject([{ key: "w/inbox/hers.txt" }]);
  });
});
