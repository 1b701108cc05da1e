import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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
import { AppError } from "../../shared/app-error";
import { standardError } from "../../shared/log.server";
import { activity } from "../activity/service.server";
import { filesScopeSchema } from "./place/scope.server";
import { files } from "./service.server";

const list = vi.fn<ObjectStore["list"]>();
const originOf = vi.fn<ObjectStore["originOf"]>(async (bucket) => `https://${bucket}.store.example`);
const versioning = vi.fn<ObjectStore["versioning"]>();
beforeEach(() => {
  versioning.mockReset();
  list.mockReset().mockResolvedValue({ prefixes: [], objects: [], nextCursor: null });
});
afterEach(() => vi.restoreAllMocks());

const tools: ServiceTools = {
  events: testEvents(),
  claims: testClaims(),
  catalogues: noCatalogues,
  quotas: noQuotas,
  database: emptyDatabase,
  objectStore: { list, originOf, versioning } as unknown as ObjectStore,
  context: { requestId: "r", route: "/", callerAddress: "::1", deadline: Number.POSITIVE_INFINITY },
  nowSeconds: 1_000,
  production: true,
  platformBaseUrl: "https://embed.example.com",
  signingSecrets: ["a-secret-of-at-least-thirty-two-bytes"],
};
const empty = { folders: [], files: [], nextCursor: null };

describe("the view of files", () => {
  it("starts with the first hundred entries of the token's folder, which the store has 4 seconds for", async () => {
    expect(await files.load(testGrant({ path: "/a", uploadFolder: "/a/in" }), tools)).toEqual({
      bucket: "docs",
      rootPath: "/a",
      startPath: "/a",
      startFilter: "",
      refusedPath: null,
      uploadFolder: "/a/in",
      actions: ["download", "upload"],
      onlyChecked: false,
      hasCatalogue: false,
      quota: null,
      limits: {},
      listing: { ok: true, folderPath: "/a", listing: { ...empty, exists: false } },
    });
    expect(list.mock.calls).toEqual([
      [{ bucket: "docs", prefix: "a/", cursor: undefined, pageSize: 100, limitMs: 4_000 }, tools.context],
    ]);
  });

  it("starts with the whole bucket where the token has no folder", async () => {
    expect(await files.load(testGrant(), tools)).toEqual({
      bucket: "docs",
      rootPath: "/",
      startPath: "/",
      startFilter: "",
      refusedPath: null,
      uploadFolder: null,
      actions: ["download", "upload"],
      onlyChecked: false,
      hasCatalogue: false,
      quota: null,
      limits: {},
      listing: { ok: true, folderPath: "/", listing: empty },
    });
  });

  it("keeps the filters of a folder that may be shown, and of no other", async () => {
    const startFilterOf = async (path: string | null) =>
      (await files.load(testGrant({ path: "/a" }), tools, { path, filter: "kind=pdf" })).startFilter;
    expect(await Promise.all([null, "", "/a", "/a/b", "/b"].map(startFilterOf))).toEqual([
      ...Array(4).fill("kind=pdf"),
      "",
    ]);
  });

  it("says whether sizes of folders can be known: not where files have to be checked first", async () => {
    const find = vi.fn(async (bucket: string) => ({ id: 1, bucket, asOf: new Date(0) }));
    const withCatalogue = { ...tools, catalogues: { find } };
    expect(await files.load(testGrant(), withCatalogue)).toMatchObject({ hasCatalogue: true });
    expect(await files.load(testGrant(), tools)).toMatchObject({ hasCatalogue: false });
    expect(find.mock.calls).toEqual([["docs"]]);
    const requireTag = { key: "scan", value: "clean" };
    expect(await files.load(testGrant({ requireTag }), withCatalogue)).toMatchObject({ hasCatalogue: false });
    expect(find).toHaveBeenCalledOnce();
  });

  it("says how full the quota is, and asks nothing without one, and where it may not tell", async () => {
    const $driverQuery = vi.fn(async () => []);
    const measure = vi.fn(async () => 7);
    const counting = {
      ...tools,
      database: { ...emptyDatabase, $driverQuery },
      quotas: { ...noQuotas, measure },
    };
    const quotaFor = async (scope: Parameters<typeof testGrant>[0]) =>
      (await files.load(testGrant(scope), counting)).quota;
    const limits = { maxTotalBytes: 10 };
    const requireTag = { key: "scan", value: "clean" };
    expect(await quotaFor({})).toBeNull();
    expect(await quotaFor({ limits: { maxFileBytes: 10 } })).toBeNull();
    expect(await quotaFor({ limits, requireTag })).toBeNull();
    expect($driverQuery).not.toHaveBeenCalled();
    expect(await quotaFor({ limits, path: "/a", uploadFolder: "/b" })).toBeNull();
    expect(measure).not.toHaveBeenCalled();
    expect(await quotaFor({ limits, path: "/a", uploadFolder: "/a/in" })).toEqual({
      usedBytes: 7,
      maxBytes: 10,
    });
    // One that is ten seconds old will do.
    expect(measure.mock.calls).toEqual([["company", { buckets: ["docs"], prefixes: ["a/", "a/in/"] }, 10]]);
  });

  it("does not wait for the quota if the database does not tell it in time", async () => {
    vi.useFakeTimers();
    const silenced = vi.spyOn(standardError, "write").mockImplementation(() => {});
    const withLimit = testGrant({ limits: { maxTotalBytes: 10 } });
    const fails = async () => {
      throw new AppError("unavailable", "The database is not available.");
    };
    for (const measure of [fails, () => new Promise<never>(() => {})]) {
      const page = files.load(withLimit, { ...tools, quotas: { ...noQuotas, measure } });
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await page).toMatchObject({ quota: "late", listing: { ok: true } });
    }
    expect(silenced).toHaveBeenCalledTimes(2);
    vi.useRealTimers();
  });

  it("ends the tokens of a policy that requires a tag from now on, and only those", () => {
    const policy = (requireTag?: object) => ({ buckets: ["b"], ...(requireTag && { requireTag }) });
    const [clean, other] = [
      { key: "scan", value: "clean" },
      { key: "scan", value: "ok" },
    ];
    expect(files.endsTokens?.(policy(), policy(clean))).toBe(true);
    expect(files.endsTokens?.(undefined, policy(clean))).toBe(true);
    expect(files.endsTokens?.(policy(other), policy(clean))).toBe(true);
    expect(files.endsTokens?.(policy(clean), policy({ ...clean }))).toBe(false);
    expect(files.endsTokens?.(policy(clean), policy())).toBe(false);
    expect(files.endsTokens?.(policy(), policy())).toBe(false);
  });

  it("is told what the token allows", async () => {
    const limits = { maxFileBytes: 10, fileTypes: ["image/*"] };
    const requireTag = { key: "scan", value: "clean" };
    expect(await files.load(testGrant({ actions: [], limits, requireTag }), tools)).toMatchObject({
      actions: [],
      limits,
      onlyChecked: true,
      hasCatalogue: false,
    });
  });

  it.each(["Enabled", "Suspended"])(
    "offers what needs older versions where versioning is %s, and asks the store once",
    async (status) => {
      versioning.mockResolvedValue(status);
      const actions = ["download", "history", "purge"] as const;
      expect(await files.load(testGrant({ actions: [...actions] }), tools)).toMatchObject({ actions });
      expect(versioning.mock.calls).toEqual([["docs", tools.context, 4_000]]);
    },
  );

  it("offers nothing that needs older versions where the bucket keeps none, or the store does not say", async () => {
    const grant = testGrant({ actions: ["download", "history", "purge"] });
    versioning.mockResolvedValueOnce("");
    expect(await files.load(grant, tools)).toMatchObject({ actions: ["download"] });
    versioning.mockRejectedValueOnce(new AppError("provider_failed", "Refused."));
    expect(await files.load(grant, tools)).toMatchObject({ actions: ["download"] });
    // It may be back in a moment, and the explorer can try again.
    versioning.mockRejectedValueOnce(new AppError("unavailable", "Try again."));
    expect(await files.load(grant, tools)).toMatchObject({ actions: ["download", "history", "purge"] });
    versioning.mockRejectedValueOnce(new TypeError("a defect"));
    await expect(files.load(grant, tools)).rejects.toThrow(TypeError);
  });

  it("does not ask for versions where the token does not allow them", async () => {
    await files.load(testGrant({ actions: ["download", "delete"] }), tools);
    expect(versioning).not.toHaveBeenCalled();
  });

  it("starts with the failure of the store; what to mend is in the log, and on a developer's screen", async () => {
    const error = vi.spyOn(standardError, "write").mockImplementation(() => {});
    list.mockRejectedValue(new AppError("unavailable", "Try again.", { logDetail: "The store is down." }));
    const failed = { ok: false, code: "unavailable", requestId: "r" };
    expect((await files.load(testGrant(), tools)).listing).toEqual(failed);
    expect((await files.load(testGrant(), { ...tools, production: false })).listing).toEqual({
      ...failed,
      advice: "The store is down.",
    });
    list.mockRejectedValue(new AppError("unavailable", "Try again."));
    await files.load(testGrant(), tools);
    expect(error.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { requestId: "r", message: "The first folder could not be listed. The store is down." },
      { requestId: "r", message: "The first folder could not be listed. The store is down." },
      { requestId: "r", message: "The first folder could not be listed. Try again." },
    ]);
  });

  it("does not hide a defect", async () => {
    list.mockRejectedValue(new TypeError("a defect"));
    await expect(files.load(testGrant(), tools)).rejects.toThrow(TypeError);
  });

  it("connects to the store's origin for the token's bucket", async () => {
    expect(await files.connectSources({ bucket: "docs" }, tools)).toEqual(["https://docs.store.example"]);
  });
});

describe("a policy for files", () => {
  it("has an issue for each folder that is not a path", () => {
    const { issuesOfPolicy } = files;
    expect(issuesOfPolicy({ buckets: [] })).toEqual([]);
    expect(issuesOfPolicy({ buckets: [], paths: ["/a", "b"], uploadFolders: ["/c/", "/d"] })).toEqual([
      "a folder path must start with /: b",
      "a folder path must not have an empty segment, nor end with /: /c/",
    ]);
  });

  it.each([
    ["", "must not be empty"],
    [".", "must not be . or .."],
    ["..", "must not be . or .."],
    ["a/b", "nor contain /"],
    ["b".repeat(256), "must have at most 255 characters"],
  ])("has an issue for a bucket that no scope can name: %j", (bucket, issue) => {
    for (const { issuesOfPolicy } of [files, activity])
      expect(issuesOfPolicy({ buckets: ["docs", bucket] })).toEqual([expect.stringContaining(issue)]);
    expect(filesScopeSchema.safeParse({ bucket }).success).toBe(false);
  });

  it("has folders with or without a slash at their end", () => {
    const policy = files.policySchema.parse({ buckets: ["docs"], paths: ["/a/"], uploadFolders: ["/"] });
    expect(files.issuesOfPolicy(policy)).toEqual([]);
    expect(files.decideScope({ bucket: "docs" }, policy)).toMatchObject({ path: "/a", uploadFolder: "/" });
    expect(files.decideScope({ bucket: "docs", path: "/a/b" }, policy)).toMatchObject({ path: "/a/b" });
    expect(() => files.decideScope({ bucket: "docs", path: "/ab" }, policy)).toThrow("does not reach");
  });

  it("decides the scope of a token", () => {
    expect(files.key).toBe("files");
    expect(files.decideScope({ bucket: "docs" }, { buckets: ["docs"], paths: ["/a"] })).toEqual({
      bucket: "docs",
      path: "/a",
    });
  });
});

describe("a scope for files", () => {
  const issuesOf = (scope: unknown) =>
    filesScopeSchema
      .safeParse(scope)
      .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);

  it.each([".", ".."])("has no bucket %s, whose URLs would be those of the whole store", (bucket) => {
    expect(filesScopeSchema.safeParse({ bucket }).success).toBe(false);
    expect(filesScopeSchema.safeParse({ bucket: `${bucket}a` }).success).toBe(true);
  });

  it("has a bucket, and folders that are paths", () => {
    expect(issuesOf({ bucket: "b", path: "/a", uploadFolder: "/a" })).toBeUndefined();
    expect(issuesOf({ bucket: "b" })).toBeUndefined();
    expect(filesScopeSchema.parse({ bucket: "b", path: "/a/", uploadFolder: "/" })).toEqual({
      bucket: "b",
      path: "/a",
      uploadFolder: "/",
    });
    expect(issuesOf({ bucket: "", path: "a", uploadFolder: "/a//" })).toEqual([
      expect.stringMatching(/^bucket: /),
      "path: must start with /",
      "uploadFolder: must not have an empty segment, nor end with /",
    ]);
    expect(issuesOf({ bucket: "b", path: `/${"a".repeat(1024)}` })).toEqual([
      "path: must be at most 1024 bytes long",
    ]);
    expect(issuesOf({ bucket: "b", colour: "red" })).toHaveLength(1);
  });
});
