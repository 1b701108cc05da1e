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

  it("may have any name that a cluster is configured for", () => {
    const named = { ...settings, ofRegion: { CANADA: canada } };
    expect(findCluster(named, "Canada")).toMatchObject({ ...canada, region: "canada" });
  });

  it("has no cluster without a name that a region can have, whatever is configured for all others", () => {
    expect(findCluster(settings, "Canada")).toBeNull();
    expect(findCluster(settings, "ca-central")).toBeNull();
  });

  it.each(["ca-central-1", "Canada", "Canada East", "北"])("may be called %s", (name) => {
    expect(regionNameSchema.safeParse(name).success).toBe(true);
  });

  it.each(["", "a\u0000b", "\ud800", "x".repeat(101)])("may not be called %j", (name) => {
    expect(regionNameSchema.safeParse(name).success).toBe(false);
  });

  // It becomes part of a host name that signed requests are sent to.
  it.each([
    "ca_central_1",
    "ca-central-1.evil.example",
    "a/ca-central-1",
    "a@ca-central-1",
    "ca-central-1#",
    "-ca-central-1",
    "ca-central-1-",
    "ca--central-1",
    `${"x".repeat(64)}-1`,
  ])("that is called %j has no cluster", (name) => {
    expect(findCluster(settings, name)).toBeNull();
  });
});
