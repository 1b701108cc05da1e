import { FilesError } from "platform-embed-element/client";
import { expect, test } from "vitest";
import { problemCode } from "./problem-code";

test.each([
  [403, "scope_not_allowed", "denied"],
  [404, "bucket_not_found", "not_found"],
  [401, "invalid_token", "session_ended"],
  [400, "invalid_request", "bad_name"],
  [429, "rate_limited", "unavailable"],
  [503, "unavailable", "unavailable"],
  [503, "database_unavailable", "unavailable"],
  [502, "provider_failed", "failed"],
  [500, "internal", "failed"],
  [undefined, "code_not_loaded", "unreachable"],
  [undefined, "being_checked", "being_checked"],
  [undefined, "constructor", "failed"],
] as const)("a response of %s %s is told as %s", (status, code, told) => {
  expect(problemCode(new FilesError(code, { status }))).toBe(told);
});
