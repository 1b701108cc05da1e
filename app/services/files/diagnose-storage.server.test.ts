import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testGrant } from "../../../tests/support/files/grant";
import {
  emptyDatabase,
  noCatalogues,
  noQuotas,
  testClaims,
  testEvents,
} from "../../../tests/support/files/test-events";
import type { ServiceTools } from "../../embed/service";
import type { ObjectStore } from "../../providers/object-store.server";
import { configureLog, standardError, standardOutput } from "../../shared/log.server";
import { diagnoseStorage } from "./diagnose-storage.server";

afterEach(() => vi.restoreAllMocks());

const context = { requestId: "r", route: "/", callerAddress: "::1", deadline: Number.POSITIVE_INFINITY };
const grant = testGrant();
type StoreDiagnosis = Awaited<ReturnType<ObjectStore["diagnose"]>>;
const cors: StoreDiagnosis = {
  problem: "cors_missing",
  advice: "Set the bucket's CORS rules.",
} as StoreDiagnosis;
const inOrder: StoreDiagnosis = { problem: null, advice: null };

async function diagnose(found: StoreDiagnosis, { production = true, bucket = "docs" } = {}) {
  const log = {
    error: vi.spyOn(standardError, "write").mockImplementation(() => {}),
    info: vi.spyOn(standardOutput, "write").mockImplementation(() => {}),
  };
  const asked = vi.fn<ObjectStore["diagnose"]>(async () => found);
  const tools: ServiceTools = {
    events: testEvents(),
    claims: testClaims(),
    catalogues: noCatalogues,
    quotas: noQuotas,
    database: emptyDatabase,
    objectStore: { diagnose: asked } as unknown as ObjectStore,
    production,
    context,
    nowSeconds: 1_000,
    platformBaseUrl: "https://embed.example.com",
    signingSecrets: ["a-secret-of-at-least-thirty-two-bytes"],
  };
  const result = await diagnoseStorage({ token: "t", bucket, operation: "upload" }, grant, tools);
  await turn();
  const lines = [...log.error.mock.calls, ...log.info.mock.calls].map(([line]) =>
    line.startsWith("{") ? JSON.parse(line) : line,
  );
  return { result, lines, asked: asked.mock.calls };
}

describe("why a browser could not reach the store", () => {
  it("is asked of the store for the platform's origin; what to mend goes to the log", async () => {
    expect(await diagnose(cors)).toMatchObject({
      result: { problem: cors.problem },
      asked: [[{ bucket: "docs", operation: "upload", origin: "https://embed.example.com" }]],
      lines: [{ level: "error", requestId: "r", message: "Set the bucket's CORS rules." }],
    });
  });

  it("says what to mend on a developer's machine, and there alone", async () => {
    expect((await diagnose(cors, { production: false })).result).toEqual(cors);
    expect((await diagnose(cors)).result).toEqual({ problem: cors.problem });
  });

  it("is not the store's doing where that is in order, which is worth a line", async () => {
    const message =
      "A browser's upload did not reach bucket docs, though the bucket accepts requests from this server and from browsers. If it happens again, run npm run doctor, which also tries to write.";
    const { result, lines } = await diagnose(inOrder, { production: false });
    expect(result).toEqual({ problem: null });
    expect(lines).toMatchObject([{ level: "info", requestId: "r", message }]);

    configureLog({ json: false, secrets: [] });
    const log = vi.spyOn(standardOutput, "write").mockImplementation(() => {});
    await diagnose(inOrder).finally(() => configureLog({ json: true, secrets: [] }));
    expect(log.mock.lastCall).toEqual([message]);
  });

  it("is not told of another bucket", async () => {
    await expect(diagnose(cors, { bucket: "other" })).rejects.toMatchObject({ code: "scope_not_allowed" });
  });
});
