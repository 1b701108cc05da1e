import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { scopeActions } from "../../app/services/files/place/actions";
import { createRouteApp } from "../support/app/route-app";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";

const stack = inject("stack");
const app = createRouteApp(stack);
let calls: ChangeCalls;
beforeAll(async () => {
  calls = await openChanges(stack, app.fetch);
});
afterAll(() => app.close());

describe("a token", () => {
  it.each([
    ["copy", ["organize"], 200],
    ["move", ["organize"], 200],
    ["delete", ["delete"], 200],
    ["copy", ["download", "upload", "delete"], 403],
    ["move", ["download", "upload", "delete"], 403],
    ["delete", ["download", "upload", "organize"], 403],
  ] as const)("may %s with the actions %j: %j", async (what, actions, status) => {
    const token = await calls.tokenOf({ actions });
    const items = [{ key: "nothing.txt" }];
    const body = what === "delete" ? { items } : { items, to: "/x", onConflict: "fail" };
    expect((await calls.ask(what, { token, ...body })).status).toBe(status);
  });
});

describe("replacing a file by a copy", () => {
  it.each([
    [["organize"], 403],
    [["organize", "download"], 403],
    [["organize", "upload"], 200],
    [["organize", "delete"], 200],
  ] as const)("is possible with the actions %j: %j", async (actions, status) => {
    const token = await calls.tokenOf({ actions });
    const body = { token, items: [{ key: "nothing.txt" }], to: "/x", onConflict: "replace" };
    for (const what of ["copy", "move"] as const) expect((await calls.ask(what, body)).status).toBe(status);
  });
});

describe("a token for a folder of the bucket", () => {
  const scope = { path: "/s", uploadFolder: "/s/in", actions: scopeActions };
  const inside = { key: "s/in/a" };
  const beside = { key: "s/a" };
  it.each([
    ["copy", [beside], "/s/in", 200],
    ["copy", [{ folderPath: "/s/docs" }], "/s/in", 200],
    ["copy", [{ key: "a" }], "/s/in", 403],
    ["copy", [inside, { key: "other/a" }], "/s/in", 403],
    ["copy", [{ folderPath: "/sx" }], "/s/in", 403],
    ["copy", [beside], "/s", 403],
    ["copy", [beside], "/s/inner", 403],
    ["copy", [beside], "/", 403],
    ["move", [inside], "/s/in/deep", 200],
    ["move", [beside], "/s/in", 403],
    ["move", [inside], "/s", 403],
    ["move", [{ folderPath: "/s/in" }], "/s/in/x", 403],
    ["delete", [inside, { folderPath: "/s/in/docs" }], "", 200],
    ["delete", [beside], "", 403],
    ["delete", [{ folderPath: "/s/in" }], "", 403],
    ["delete", [{ folderPath: "/s" }], "", 403],
    ["delete", [{ key: "a" }], "", 403],
  ] as const)("may %s %j to %j: %j", async (what, items, to, status) => {
    const token = await calls.tokenOf(scope);
    const body = what === "delete" ? { items } : { items, to, onConflict: "replace" };
    expect((await calls.ask(what, { token, ...body })).status).toBe(status);
    expect((await calls.ask(what, { token, ...body, bucket: "another" })).status).toBe(403);
  });

  it("takes keys and folders as they are, and resolves nothing in them", async () => {
    const token = await calls.tokenOf(scope);
    for (const key of ["../a", "s/./in/a", "s/x/../in/a", "/s/in/a", "s//in/a"]) {
      expect((await calls.ask("delete", { token, items: [{ key }] })).status).toBe(403);
    }
    expect((await calls.ask("delete", { token, items: [{ folderPath: "/s/x/../in" }] })).status).toBe(403);
    expect((await calls.ask("delete", { token, items: [{ folderPath: "/s/in/.." }] })).status).toBe(200);
    expect((await calls.ask("delete", { token, items: [{ key: "" }] })).status).toBe(400);
    expect((await calls.ask("delete", { token, items: [{ folderPath: "/s/in/" }] })).status).toBe(403);
  });

  it("does not rename a file to a type that may not be uploaded", async () => {
    const at = "typed";
    await calls.bucket.put(`${at}/a.docx`, "a", "application/x-word");
    const limits = { fileTypes: [".docx", "image/*"] };
    const token = await calls.tokenOf({ actions: scopeActions, limits });
    const rename = (name: string) =>
      calls.ask("move", { token, items: [{ key: `${at}/a.docx` }], to: `/${at}`, name, onConflict: "fail" });
    expect(await rename("a.exe")).toMatchObject({ status: 403, body: { code: "type_not_allowed" } });
    await calls.bucket.put(`${at}/a.png`, "a", "image/png");
    const picture = { token, items: [{ key: `${at}/a.png` }], to: `/${at}`, onConflict: "fail" };
    expect(await calls.ask("move", { ...picture, name: "a.html" })).toMatchObject({ status: 403 });
    expect(await calls.ask("move", { ...picture, name: "b.png" })).toMatchObject({ status: 200 });
    expect(await rename("b.docx")).toMatchObject({ status: 200, body: { done: 1 } });
  });
});

describe("the limit of a token for the size of a file", () => {
  const limits = { maxFileBytes: 10 };
  const tokenOf = () => calls.tokenOf({ actions: scopeActions, limits });

  it("holds for copies", async () => {
    await calls.put({ "sized/in/small.txt": "0123456789", "sized/in/large.txt": "0123456789a" });
    for (const onConflict of ["fail", "replace", "keep-both"]) {
      const at = `sized/${onConflict}`;
      const items = [{ key: "sized/in/large.txt" }, { folderPath: "/sized/in" }];
      const body = { token: await tokenOf(), items, to: `/${at}`, onConflict };
      const key = "sized/in/large.txt";
      expect(await calls.change("copy", body)).toMatchObject({
        done: 1,
        failed: [{ key, code: "too_large" }],
      });
      expect(await calls.below(at)).toEqual({ "in/small.txt": "0123456789" });
    }
  });

  it("does not hold for moving and renaming, which store no further bytes", async () => {
    await calls.put({ "moved/large.txt": "0123456789a" });
    const body = { token: await tokenOf(), items: [{ key: "moved/large.txt" }], to: "/moved/to" };
    expect(await calls.change("move", { ...body, name: "b.txt", onConflict: "fail" })).toMatchObject({
      done: 1,
      failed: [],
    });
    expect(await calls.below("moved/to")).toEqual({ "b.txt": "0123456789a" });
  });
});
