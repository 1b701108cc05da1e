import type { CORSRule, LifecycleRule } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../../tests/support/databases/own-database";
import { createEmbedClient, revokeEmbedClient } from "../../embed/manage-embed-clients.server";
import { services } from "../registry.server";
import {
  ABORT_UPLOADS,
  corsRuleForBucket,
  expireVersions,
  isOurCorsRule,
  keptDays,
  mergeCorsRules,
  mergeLifecycleRules,
} from "./bucket-settings.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());

const add = (origins: string[], policies: Record<string, object>, allowed = ["files"]) =>
  createEmbedClient(
    own.database,
    { company: { name: "Northwind" }, name: "portal", services: allowed, origins, policies },
    services,
  );

it("a bucket lets in the platform, and each origin of its live clients once, in order", async () => {
  const docs = { files: { buckets: ["other", "docs"] } };
  await add(["https://b.example", "https://a.example"], docs);
  await add(["https://b.example"], docs);
  await add(["https://other-bucket.example"], { files: { buckets: ["other"] } });
  await add(["https://no-policy.example"], {});
  await add(["https://no-files.example"], docs, ["notif"]);
  const { id } = await add(["https://revoked.example"], docs);
  await revokeEmbedClient(own.database, id);

  expect(await corsRuleForBucket(own.database, "docs", "https://embed.example.com")).toEqual({
    ID: "platform-embed",
    AllowedMethods: ["GET", "PUT", "HEAD"],
    AllowedHeaders: ["*"],
    ExposeHeaders: ["ETag", "x-amz-request-id"],
    MaxAgeSeconds: 3000,
    AllowedOrigins: ["https://embed.example.com", "https://a.example", "https://b.example"],
  });
});

describe("the rules that are there already", () => {
  const ours: CORSRule = {
    ID: "platform-embed",
    AllowedMethods: ["GET", "PUT", "HEAD"],
    AllowedHeaders: ["*"],
    ExposeHeaders: ["ETag", "x-amz-request-id"],
    MaxAgeSeconds: 3000,
    AllowedOrigins: ["https://embed.example.com", "https://b.example"],
  };
  const { ID, ...withoutId } = ours;
  const firstVersion = {
    ...withoutId,
    AllowedOrigins: ["https://embed.example.com", "https://gone.example"],
  };
  const theirs: CORSRule = { AllowedMethods: ["GET"], AllowedOrigins: ["*"] };

  it("stay, but for ours, which is replaced where it is", () => {
    expect(mergeCorsRules([], ours)).toEqual([ours]);
    expect(mergeCorsRules([theirs], ours)).toEqual([theirs, ours]);
    const stale = { ...ours, AllowedOrigins: ["https://moved.example"], MaxAgeSeconds: 5 };
    expect(mergeCorsRules([stale, theirs, firstVersion, theirs], ours)).toEqual([ours, theirs, theirs]);
  });

  it.each<[string, CORSRule, boolean]>([
    ["our ID", { ...theirs, ID: "platform-embed" }, true],
    ["none, and what was written before rules had one", firstVersion, true],
    ["an empty one, as some stores say for none", { ...firstVersion, ID: "" }, true],
    [
      "none, and the lists in another order",
      { ...firstVersion, AllowedMethods: ["PUT", "HEAD", "GET"] },
      true,
    ],
    ["another ID", { ...firstVersion, ID: "website" }, false],
    [
      "none, and another platform's origin",
      { ...firstVersion, AllowedOrigins: ["https://b.example"] },
      false,
    ],
    ["none, and no origin", { ...firstVersion, AllowedOrigins: undefined }, false],
    ["none, and other methods", { ...firstVersion, AllowedMethods: ["GET"] }, false],
    ["none, and other headers", { ...firstVersion, AllowedHeaders: undefined }, false],
    ["none, and other exposed headers", { ...firstVersion, ExposeHeaders: ["ETag"] }, false],
    ["none, and another age", { ...firstVersion, MaxAgeSeconds: 3001 }, false],
  ])("are ours, or not, with %s", (_, rule, isOurs) => {
    expect(isOurCorsRule(rule, ours)).toBe(isOurs);
  });
});

describe("the lifecycle rules", () => {
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

  const merge = (found: LifecycleRule[]) => mergeLifecycleRules(found, [ABORT_UPLOADS]);

  it("uploads that nobody completes end after seven days", () => {
    expect(merge([])).toEqual([ours]);
  });

  it("everybody else's rules stay as they are, and ours once, where it was", () => {
    expect(merge([theirs])).toEqual([theirs, ours]);
    const changed = { ...ours, Status: "Disabled" as const, Expiration: { Days: 1 } };
    expect(merge([changed, theirs, changed])).toEqual([ours, theirs]);
  });

  it("where rules have the older form ours has it too, because a bucket's rules all have the same", () => {
    const { Filter, ...rest } = ours;
    const inOldForm = { ...rest, Prefix: "" };
    expect(merge([older])).toEqual([older, inOldForm]);
    expect(merge([inOldForm])).toEqual([ours]);
    // Some stores say both, or neither, of a rule that has a filter.
    for (const rule of [
      { ...theirs, Prefix: "" },
      { ...theirs, Filter: undefined },
    ]) {
      expect(merge([rule])).toEqual([rule, ours]);
    }
  });

  it("older versions end after the days that were asked for, beside the rule for uploads", () => {
    const versions = {
      ID: "platform-embed-old-versions",
      Status: "Enabled",
      Filter: { Prefix: "" },
      Expiration: { ExpiredObjectDeleteMarker: true },
      NoncurrentVersionExpiration: { NoncurrentDays: 30 },
    };
    const both = mergeLifecycleRules([theirs], [ABORT_UPLOADS, expireVersions(30)]);
    expect(both).toEqual([theirs, ours, versions]);
    expect(merge(both)).toEqual(both);
    expect(keptDays(both)).toBe(30);
    expect(keptDays(mergeLifecycleRules(both, [expireVersions(90)]))).toBe(90);
    const elsewhere = { ...versions, ID: "logs", Filter: { Prefix: "logs/" } } as LifecycleRule;
    expect([keptDays([theirs, elsewhere]), keptDays([{ ...expireVersions(9), Status: "Disabled" }])]).toEqual(
      [undefined, undefined],
    );
  });
});
