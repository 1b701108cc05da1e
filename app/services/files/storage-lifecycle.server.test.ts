import type { LifecycleRule } from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { mergeLifecycleRules } from "./storage-lifecycle.server";

const ours: LifecycleRule = {
  ID: "platform-embed-abort-uploads",
  Status: "Enabled",
  Filter: { Prefix: "" },
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
};
const theirs: LifecycleRule = {
  ID: "logs",
  Status: "Enabled",
  Filter: { Prefix: "logs/" },
  Expiration: { Days: 30 },
};
const older: LifecycleRule = { ID: "old", Status: "Disabled", Prefix: "old/", Expiration: { Days: 1 } };

it("uploads that nobody completes end after seven days", () => {
  expect(mergeLifecycleRules([])).toEqual([ours]);
});

it("everybody else's rules stay as they are, and ours once, where it was", () => {
  expect(mergeLifecycleRules([theirs])).toEqual([theirs, ours]);
  const changed = { ...ours, Status: "Disabled" as const, Expiration: { Days: 1 } };
  expect(mergeLifecycleRules([changed, theirs, changed])).toEqual([ours, theirs]);
});

it("where rules have the older form ours has it too, because a bucket's rules all have the same", () => {
  const { Filter, ...rest } = ours;
  const inOldForm = { ...rest, Prefix: "" };
  expect(mergeLifecycleRules([older])).toEqual([older, inOldForm]);
  expect(mergeLifecycleRules([inOldForm])).toEqual([ours]);
  // Some stores say both, or neither, of a rule that has a filter.
  for (const rule of [
    { ...theirs, Prefix: "" },
    { ...theirs, Filter: undefined },
  ]) {
    expect(mergeLifecycleRules([rule])).toEqual([rule, ours]);
  }
});
