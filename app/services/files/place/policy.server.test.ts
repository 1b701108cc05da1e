import fc from "fast-check";
import { isInside, issueOfFolderPath, withoutFinalSlash } from "platform-embed-element/client";
import { describe, expect, it } from "vitest";
import { readPolicy } from "../../../embed/issue-embed-url.server";
import { decideFilesScope, filesPolicySchema } from "./policy.server";
import { filesScopeSchema } from "./scope.server";

const files = { key: "files", policySchema: filesPolicySchema };

const decide = (requested: object, policy?: object) => {
  try {
    return decideFilesScope({ bucket: "b", ...requested }, readPolicy(files, policy && { files: policy }));
  } catch (error) {
    expect(error).toMatchObject({ code: "scope_not_allowed" });
    return (error as Error).message;
  }
};

describe("the scope of a files token", () => {
  it("is the whole bucket where neither the request nor the policy says more", () => {
    expect(decide({}, { buckets: ["a", "b"] })).toEqual({ bucket: "b" });
  });

  it("has the title that is asked for, which no policy limits", () => {
    const policy = { buckets: ["b"], paths: ["/docs"] };
    expect(decide({ title: "Papers" }, policy)).toEqual({ bucket: "b", path: "/docs", title: "Papers" });
    const { success, data } = filesScopeSchema.safeParse({ bucket: "b", title: "  Papers " });
    expect([success, data?.title]).toEqual([true, "Papers"]);
    for (const title of ["", " ", "x".repeat(121), 5, null])
      expect(filesScopeSchema.safeParse({ bucket: "b", title }).success, String(title)).toBe(false);
  });

  it("is refused for a bucket that is not on the list, and without a policy", () => {
    expect(decide({}, { buckets: ["a"] })).toMatch("does not reach that bucket");
    expect(decide({})).toMatch("policy for files");
    expect(decide({}, { buckets: "b" })).toMatch("policy for files");
  });

  it("is for a hand-in page where the request or the policy says so, and then allows upload alone", () => {
    const policy = { buckets: ["b"], actions: ["download", "upload", "delete"] };
    const drop = { bucket: "b", actions: ["upload"], view: "hand-in" };
    expect(decide({ view: "hand-in" }, policy)).toEqual(drop);
    expect(decide({ view: "hand-in", actions: ["upload"] }, { buckets: ["b"] })).toEqual(drop);
    expect(decide({}, { ...policy, view: "hand-in" })).toEqual(drop);
    expect(decide({ view: "explorer" }, { buckets: ["b"] })).toEqual({ bucket: "b" });
    expect(decide({ view: "explorer" }, { ...policy, view: "hand-in" })).toMatch(
      "for hand-in pages only (scope.view)",
    );
    expect(decide({ view: "hand-in", actions: ["upload", "download"] }, policy)).toMatch(
      "upload, not download",
    );
    expect(decide({ view: "hand-in", actions: [] }, policy)).toMatch("A hand-in page allows upload (");
    expect(decide({ view: "hand-in" }, { buckets: ["b"], actions: ["download"] })).toMatch(
      "may not allow upload",
    );
  });

  it("takes a folder that is asked for when it lies inside one of the policy's", () => {
    const policy = { buckets: ["b"], paths: ["/docs", "/img"], uploadFolders: ["/docs/in"] };
    expect(decide({ path: "/docs/2026" }, policy)).toEqual({
      bucket: "b",
      path: "/docs/2026",
      uploadFolder: "/docs/in",
    });
    expect(decide({ path: "/docs-old" }, policy)).toMatch("does not reach that folder (scope.path)");
    expect(decide({ path: "/" }, policy)).toMatch("does not reach that folder (scope.path)");
    expect(decide({ path: "/img", uploadFolder: "/img" }, policy)).toMatch("(scope.uploadFolder)");
  });

  it("has an upload folder within the paths, where the policy has no list for uploads", () => {
    const policy = { buckets: ["b"], paths: ["/docs"] };
    expect(decide({ uploadFolder: "/docs/in" }, policy)).toMatchObject({ uploadFolder: "/docs/in" });
    for (const uploadFolder of ["/other", "/"])
      expect(decide({ path: "/docs", uploadFolder }, policy)).toMatch("(scope.uploadFolder)");
    expect(decide({ uploadFolder: "/other" }, { ...policy, uploadFolders: ["/other"] })).toEqual({
      bucket: "b",
      path: "/docs",
      uploadFolder: "/other",
    });
    expect(decide({ uploadFolder: "/other" }, { buckets: ["b"] })).toMatchObject({ uploadFolder: "/other" });
  });

  it("fills in the one folder there is, and asks for a choice among several", () => {
    expect(decide({}, { buckets: ["b"], paths: ["/docs"] })).toEqual({ bucket: "b", path: "/docs" });
    // Typed twice, it is still one folder. Slashes at the end have been dropped.
    expect(decide({}, { buckets: ["b"], paths: ["/docs", "/docs"] })).toEqual({ bucket: "b", path: "/docs" });
    expect(decide({}, { buckets: ["b"], paths: ["/docs", "/img"] })).toMatch(
      "name one as scope.path (/docs, /img)",
    );
  });

  it("is refused where the list is empty, or holds nothing in form", () => {
    expect(decide({}, { buckets: ["b"], paths: [] })).toMatch("allows no folder for scope.path");
    expect(decide({ path: "/docs" }, { buckets: ["b"], paths: ["docs/"] })).toMatch("does not reach");
    expect(decide({}, { buckets: ["b"], paths: ["docs/"] })).toMatch("allows no folder");
    expect(decide({}, { buckets: ["b"], paths: ["/docs", "x//"] })).toMatch("name one as scope.path (/docs)");
  });

  it("is never wider than the policy", () => {
    let granted = 0;
    const path = fc.constantFrom("/", "/a", "/a/b", "/ab", "/a/", "a", "/b", "/a/b/c", "/..");
    fc.assert(
      fc.property(
        fc.option(
          path.filter((value) => issueOfFolderPath(value) === null),
          { nil: undefined },
        ),
        fc.array(path, { maxLength: 3 }),
        (requested, paths) => {
          const scope = decide(requested === undefined ? {} : { path: requested }, { buckets: ["b"], paths });
          if (typeof scope === "string") return;
          granted++;
          expect(scope.path).toBeDefined();
          expect(paths.some((allowed) => isInside(String(scope.path), withoutFinalSlash(allowed)))).toBe(
            true,
          );
          if (requested !== undefined) expect(scope.path).toBe(requested);
        },
      ),
    );
    // Most are refused; were all of them, nothing would have been looked at.
    expect(granted).toBeGreaterThan(0);
  });
});

describe("the actions and limits of a files token", () => {
  const buckets = ["b"];

  it("are not in its scope where they are the default", () => {
    expect(decide({ actions: ["upload", "download"] }, { buckets })).toEqual({ bucket: "b" });
    expect(
      decide({ limits: {} }, { buckets, actions: ["delete", "upload", "download"], limits: {} }),
    ).toEqual({
      bucket: "b",
    });
  });

  it("are those that are asked for, each of the policy's or the default", () => {
    expect(decide({ actions: [] }, { buckets })).toEqual({ bucket: "b", actions: [] });
    expect(decide({ actions: ["upload", "upload"] }, { buckets })).toEqual({
      bucket: "b",
      actions: ["upload"],
    });
    expect(decide({ actions: ["delete"] }, { buckets })).toBe(
      "This API key may not allow delete (scope.actions).",
    );
    const policy = { buckets, actions: ["download", "delete"] };
    expect(decide({ actions: ["delete", "download"] }, policy)).toMatchObject({
      actions: ["download", "delete"],
    });
    expect(decide({ actions: ["upload"] }, policy)).toMatch("may not allow upload");
  });

  it("are the default as far as the policy has it, where none are asked for", () => {
    expect(decide({}, { buckets, actions: ["download", "delete"] })).toMatchObject({ actions: ["download"] });
    expect(decide({}, { buckets, actions: [] })).toMatchObject({ actions: [] });
  });

  it("are the tighter limits", () => {
    const policy = { buckets, limits: { maxFileBytes: 10, fileTypes: ["image/*"] } };
    expect(decide({}, policy)).toMatchObject({ limits: policy.limits });
    expect(decide({ limits: { maxFileBytes: 20, fileTypes: ["image/png"] } }, policy)).toMatchObject({
      limits: { maxFileBytes: 10, fileTypes: ["image/png"] },
    });
  });

  it.each([{ maxFileBytes: 5 }, { maxFileBytes: 0 }, { fileTypes: ["image/*"] }, { fileTypes: [] }])(
    "are kept where there is but one: %j",
    (limits) => {
      expect(decide({}, { buckets, limits })).toMatchObject({ limits });
      expect(decide({ limits }, { buckets })).toMatchObject({ limits });
    },
  );

  it.each([
    { limits: { fileTypes: [" image/png"] } },
    { limits: { fileTypes: ["/.png"] } },
    { limits: { fileTypes: [".png/"] } },
    { limits: { fileTypes: ["image/png "] } },
    { limits: { fileTypes: ["image/*x"] } },
    { actions: ["fly"] },
    { actions: "upload" },
    { limits: { maxFileBytes: -1 } },
    { limits: { maxFileBytes: 1.5 } },
    { limits: { fileTypes: ["image"] } },
    { limits: { fileTypes: ["*/*"] } },
    { limits: { most: 1 } },
  ])("are refused out of form, and a policy like that allows nothing: %j", (members) => {
    expect(filesScopeSchema.safeParse({ bucket: "b", ...members }).success).toBe(false);
    expect(decide({}, { buckets, ...members })).toMatch("policy for files");
  });

  it("has no more file types than a token can hold", () => {
    const types = (count: number, length: number, start = "a/") =>
      Array.from({ length: count }, (_, number) => `${start}${number}`.padEnd(length, "x"));
    const scopeWith = (fileTypes: string[]) => ({ bucket: "b", limits: { fileTypes } });
    for (const [fileTypes, isOne] of [
      [types(100, 20), true],
      [types(101, 6), false],
      [[...types(99, 20), "a/".padEnd(21, "y")], false],
    ] as const) {
      expect(filesScopeSchema.safeParse(scopeWith([...fileTypes])).success).toBe(isOne);
    }
    const policy = { buckets, limits: { fileTypes: ["a/*", ...types(99, 6, "b/")] } };
    expect(decide({ limits: { fileTypes: ["b/*", ...types(99, 6)] } }, policy)).toMatch(
      "Too many file types",
    );
    const fewer = decide({ limits: { fileTypes: ["b/*", ...types(1, 6)] } }, policy);
    expect(filesScopeSchema.safeParse(fewer).success).toBe(true);
  });

  it.each(["image/*", "application/pdf", ".docx", ".tar.gz"])("know the file type %s", (fileType) => {
    const scope = { bucket: "b", limits: { fileTypes: [fileType] } };
    expect(filesScopeSchema.parse(scope)).toEqual(scope);
  });
});
