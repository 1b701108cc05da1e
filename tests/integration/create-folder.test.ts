import { beforeAll, describe, expect, inject, it } from "vitest";
import { scopeActions } from "../../app/services/files/place/actions";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { openStorage, type StorageCalls } from "../support/files/storage-calls";

const stack = inject("stack");
let { bucket, narrow, ask, list } = {} as StorageCalls;
beforeAll(async () => {
  ({ bucket, narrow, ask, list } = await openStorage(stack));
});

const make = (name: string, changes: object = {}) =>
  ask("create-folder", { folderPath: "/", name, ...changes });

describe("create-folder", () => {
  it("creates an empty folder, with the same response for repeated and concurrent requests", async () => {
    const made = { status: 200, body: { path: "/docs/Été 2026" } };
    const again = Array.from({ length: 20 }, () => make("Été 2026", { folderPath: "/docs" }));
    for (const response of await Promise.all(again)) expect(response).toEqual(made);
    expect(await make("Été 2026", { folderPath: "/docs" })).toEqual(made);
    expect(String(await bucket.get("docs/Été 2026/"))).toBe("");
    const { body } = await list({ folderPath: "/docs" });
    expect(body.folders).toContainEqual({ name: "Été 2026", path: "/docs/Été 2026" });
    expect((await list({ folderPath: "/docs/Été 2026" })).body).toMatchObject({ files: [], folders: [] });
  });

  it("creates folders in the bucket's root and in folders without a marker", async () => {
    expect(await make("top")).toEqual({ status: 200, body: { path: "/top" } });
    expect(await make("c", { folderPath: "/a/b" })).toEqual({ status: 200, body: { path: "/a/b/c" } });
    expect(await bucket.get("top/")).not.toBeNull();
    expect(await bucket.get("a/b/c/")).not.toBeNull();
  });

  it("overwrites nothing: neither an object with that key nor a file with that name", async () => {
    await bucket.put("kept/", "with content");
    await bucket.put("file", "a file");
    expect((await make("kept")).status).toBe(200);
    expect((await make("file")).status).toBe(200);
    expect(String(await bucket.get("kept/"))).toBe("with content");
    expect(String(await bucket.get("file"))).toBe("a file");
  });

  it.each([
    [["organize"], 200],
    [["upload"], 200],
    [["download", "delete"], 403],
    [[], 403],
  ] as const)("with the actions %j responds with %j", async (actions, status) => {
    const able = await makeEmbedClient(stack, { bucket: bucket.name, files: { actions: [...scopeActions] } });
    const { token } = await issueEmbedUrl(stack, able, { scope: { actions } });
    expect((await make("allowed", { token })).status).toBe(status);
  });

  it("is limited to the token's upload folder and bucket", async () => {
    for (const [folderPath, status] of [
      ["/docs/in", 200],
      ["/docs/in/deep", 200],
      ["/docs", 403],
      ["/docs/inner", 403],
      ["/", 403],
    ] as const) {
      expect([folderPath, (await make("x", { token: narrow, folderPath })).status]).toEqual([
        folderPath,
        status,
      ]);
    }
    expect(await make("x", { bucket: "another" })).toMatchObject({
      status: 403,
      body: { code: "scope_not_allowed" },
    });
  });

  it.each(["", ".", "..", "a/b", "/", "a/", "../b", "a\\b", "a\0b", "\ud800"])(
    "refuses the name %j",
    async (name) => {
      expect(await make(name)).toMatchObject({ status: 400, body: { issues: [{ path: "name" }] } });
    },
  );

  it("accepts a key of 1024 bytes and refuses a longer one", async () => {
    const folderPath = `/${"a".repeat(500)}`;
    expect((await make("b".repeat(522), { folderPath })).status).toBe(200);
    expect(await make("b".repeat(523), { folderPath })).toMatchObject({
      status: 400,
      body: { issues: [{ path: "name" }] },
    });
  });
});
