import { describe, expect, it } from "vitest";
import { findCluster, regionNameSchema } from "./region";

const canada = { clusterRef: "arn:ca", secretRef: "arn:ca-secret" };
const other = { clusterRef: "arn:any", secretRef: "arn:any-secret" };
const limits = { connections: 40, temporaryFileGb: 10 };
const settings = { ofRegion: { CA_CENTRAL_1: canada }, fallback: other, defaultDatabase: "postgres", limits };

describe("a region", () => {
  it("has its own cluster, and is where that is called", () => {
    expect(findCluster(settings, "ca-central-1")).toEqual({
      ...canada,
      region: "ca-central-1",
      defaultDatabase: "postgres",
      limits,
    });
  });

  it("without its own has the one for all others, if there is one", () => {
    expect(findCluster(settings, "us-gov-west-1")).toMatchObject({ ...other, region: "us-gov-west-1" });
    expect(findCluster({ ...settings, fallback: undefined }, "us-gov-west-1")).toBeNull();
  });

  it.each(["ca-central-1", "us-gov-west-1", "eu-isoe-west-1", "europe-west4"])("may be %s", (name) => {
    expect(regionNameSchema.safeParse(name).success).toBe(true);
  });

  // It becomes part of a host name that signed requests are sent to.
  it.each([
    "",
    "CA-CENTRAL-1",
    "ca_central_1",
    "a.b",
    "a/b",
    "a@b",
    "a#",
    "-a",
    "a-",
    "a--b",
    "x".repeat(33),
  ])("may not be %j", (name) => {
    expect(regionNameSchema.safeParse(name).success).toBe(false);
  });
});
