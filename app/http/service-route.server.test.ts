import { describe, expect, it } from "vitest";
import { AppError } from "../shared/app-error";
import { explainFailure } from "./service-route.server";

describe("a failure", () => {
  const failure = new AppError("unavailable", "Try again.", {
    logDetail: "The store is down.",
    issues: [{ path: "bucket", message: "is down" }],
    retryAfterSeconds: 7,
    headers: { "X-Test": "1" },
  });

  it("is told in the log's words on a developer's machine, and is the same in all else", async () => {
    const { code, logDetail, issues, retryAfterSeconds, headers } = failure;
    await expect(explainFailure(Promise.reject(failure), false)).rejects.toMatchObject({
      message: logDetail,
      code,
      logDetail,
      issues,
      retryAfterSeconds,
      headers,
      cause: failure,
    });
  });

  it.each<[string, unknown, boolean]>([
    ["in production", failure, true],
    ["that says no more to the log", new AppError("unavailable", "Try again."), false],
    ["that is none of ours", Object.assign(new TypeError("a defect"), { logDetail: "x" }), false],
  ])("%s stays as it is", async (_, thrown, production) => {
    await expect(explainFailure(Promise.reject(thrown), production)).rejects.toBe(thrown);
  });

  it("is none where the work is done", async () => {
    expect(await explainFailure(Promise.resolve(1), false)).toBe(1);
    expect(await explainFailure(Promise.resolve(1), true)).toBe(1);
  });
});
