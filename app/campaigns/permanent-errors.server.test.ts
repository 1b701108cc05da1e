import { expect, it } from "vitest";
import { AppError, type AppErrorCode, invalidRequest } from "../app-error";
import { refuseForGood } from "./permanent-errors.server";

it.each<AppErrorCode>(["invalid_request", "body_too_large", "email_refused"])(
  "a job that is refused as %s is not delivered again, and the caller is told the same",
  (code) => {
    const error = new AppError(code, "Why it failed.", { logDetail: "for the log" });
    expect(refuseForGood(error)).toMatchObject({
      code: "job_refused",
      message: "Why it failed.",
      logDetail: "for the log",
      headers: { "Upstash-NonRetryable-Error": "true" },
      cause: error,
    });
  },
);

it("the issues of a job stay", () => {
  const issues = [{ path: "campaignId", message: "is missing" }];
  expect(refuseForGood(invalidRequest(issues))).toMatchObject({ code: "job_refused", issues });
});

it.each<AppErrorCode>(["unavailable", "provider_failed", "invalid_signature", "internal"])(
  "a job that failed as %s may be delivered again",
  (code) => {
    const error = new AppError(code, "Why it failed.");
    expect(refuseForGood(error)).toBe(error);
  },
);
