import { describe, expect, inject, it } from "vitest";
import { drillReplicas, hasNginx } from "../support/replicas";

describe("three replicas behind nginx", () => {
  it.skipIf(!hasNginx())(
    "serve on while one is killed and another stopped, and refuse a revoked key at once",
    async () => {
      const figures = await drillReplicas(inject("stack"));
      console.log(figures);
      expect(figures.wrong).toEqual([]);
      expect(figures.judgedByProxy).toEqual([]);
      expect(figures.afterRevocation).toEqual([]);
      expect(figures.mostTries).toBeLessThanOrEqual(2);
      expect(figures.requests).toBeGreaterThan(500);
      // Round robin: each had its part.
      for (const requests of figures.perReplica) expect(requests).toBeGreaterThan(100);
    },
  );
});
