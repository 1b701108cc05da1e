import { describe, expect, inject, it } from "vitest";
import { drillReplicas, hasNginx } from "../support/app/replicas";
import { notInstalled } from "../support/machine/installed";

describe("three replicas behind nginx", () => {
  if (!hasNginx()) {
    it("is not installed", notInstalled("nginx-light"));
    return;
  }
  it("keep serving while one is killed and another stopped, and refuse a revoked key within 5 seconds", async () => {
    const figures = await drillReplicas(inject("stack"));
    console.log(figures);
    expect(figures.wrong).toEqual([]);
    expect(figures.judgedByProxy).toEqual([]);
    expect(figures.afterRevocation).toEqual([]);
    expect(figures.mostTries).toBeLessThanOrEqual(2);
    expect(figures.requests).toBeGreaterThan(500);
    // With round robin each replica serves requests.
    for (const requests of figures.perReplica) expect(requests).toBeGreaterThan(100);
  });
});
