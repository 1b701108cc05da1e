import { describe, expect, inject, it } from "vitest";
import { judgeReplicas } from "../../lab/drills/checkers/replicas";
import { drillReplicas } from "../support/app/replicas";
import { notInstalled } from "../support/machine/installed";
import { hasNginx } from "../support/network/nginx";

describe("three replicas behind nginx", () => {
  if (!hasNginx()) {
    it("is not installed", notInstalled("nginx-light"));
    return;
  }
  it("keep serving while one is killed and another stopped, and refuse a revoked key within 5 seconds", async () => {
    const figures = await drillReplicas(inject("stack"));
    console.log(figures);
    expect(judgeReplicas(figures).failures).toEqual([]);
  });
});
