import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue } from "../../../embed/signed-value.server";
import { MAX_UNDO_LENGTH } from "../place/contract/changes-contract.server";
import { readUndo, signUndo, UndoList } from "./undo.server";

const tools = { signingSecrets: ["secret", "former"], nowSeconds: 1_000 } as unknown as ServiceTools;
const grant = testGrant();
const deleted = [
  { key: "b/ü", marker: "2" },
  { key: "a", marker: "1" },
];
const created = [
  { key: "b/ü", etag: "2" },
  { key: "a", etag: "1", replaced: "0" },
];
const handle = signUndo({ kind: "deleted", objects: deleted }, "docs", grant, tools) ?? "";

describe("a handle to undo a change", () => {
  it.each([
    ["deleted", deleted],
    ["created", created],
  ] as const)("contains what was %s", (kind, objects) => {
    const undo = signUndo({ kind, objects }, "docs", grant, tools) ?? "";
    expect(readUndo(undo, "docs", grant, tools)).toEqual({
      kind,
      signedAt: 1_000,
      objects: [objects[1], objects[0]],
    });
    const former: ServiceTools = { ...tools, signingSecrets: ["newer", "secret"] };
    expect(readUndo(undo, "docs", grant, former).objects).toHaveLength(2);
  });

  it.each([
    ["deleted", "files-undo", deleted],
    ["created", "files-undo-created", created],
  ] as const)(
    "of what was %s is signed for %s, so that neither is taken for the other",
    (kind, purpose, objects) => {
      const [signed = ""] = (signUndo({ kind, objects }, "docs", grant, tools) ?? "").split("~");
      expect(readSignedValue(signed, ["secret"], purpose)).toMatchObject({ bucket: "docs" });
      const others = ["", "files-undo", "files-undo-created"].filter((other) => other !== purpose);
      expect(others.map((other) => readSignedValue(signed, ["secret"], other))).toEqual([null, null]);
    },
  );

  it("is null if nothing can be undone", () => {
    expect(signUndo({ kind: "deleted", objects: [] }, "docs", grant, tools)).toBeNull();
  });

  it.each([
    ["another bucket", handle, "other", {}],
    ["another list", `${handle.split("~")[0]}~${handle.split("~")[1]?.slice(2)}`, "docs", {}],
    ["no list", handle.split("~")[0] ?? "", "docs", {}],
    ["what is none", "", "docs", {}],
    ["a third part", `${handle}~more`, "docs", {}],
    ["a secret that is not ours", handle, "docs", { signingSecrets: ["other"] }],
    ["a day later", handle, "docs", { nowSeconds: 1_000 + 24 * 3600 }],
  ] satisfies [string, string, string, Partial<ServiceTools>][])(
    "is refused for %s",
    (_, undo, bucket, changes) => {
      expect(() => readUndo(undo, bucket, grant, { ...tools, ...changes })).toThrow(
        expect.objectContaining({ code: "invalid_request" }),
      );
    },
  );

  it.each([
    ["company", { companyId: "other" }],
    ["API key", { clientId: "other" }],
    ["visitor", { visitor: { id: "other" } }],
  ])("is refused for another %s", (_, changes) => {
    expect(() => readUndo(handle, "docs", { ...grant, ...changes }, tools)).toThrow(
      expect.objectContaining({ code: "scope_not_allowed" }),
    );
  });

  it("fits into a request of restore when it is full, whatever the keys are", () => {
    const list = new UndoList("deleted");
    let count = 0;
    for (; !list.isFull; count++) list.add({ key: randomBytes(768).toString("base64"), marker: `${count}` });
    // Sixteen may be under way when it is full.
    for (let more = 0; more < 16; more++) list.add({ key: randomBytes(768).toString("base64"), marker: "v" });
    expect(count).toBeGreaterThan(100);
    const full = signUndo(list, "docs", grant, tools) ?? "";
    expect(full.length).toBeLessThanOrEqual(MAX_UNDO_LENGTH);
    expect(readUndo(full, "docs", grant, tools).objects).toHaveLength(count + 16);
  });

  it("for a thousand ordinary keys has about 30 kB", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({
      key: `Invoices/2026/Invoice ${index}.pdf`,
      marker: randomBytes(24).toString("base64url"),
    }));
    expect((signUndo({ kind: "deleted", objects: many }, "docs", grant, tools) ?? "").length).toBeLessThan(
      45_000,
    );
  });
});
