import { describe, expect, it } from "vitest";
import { hideSource, isInReach } from "../events/event-reach.server";
import type { StoredEvent } from "../events/stored-event.server";
import { services } from "../services/registry.server";
import { type KeyPolicies, reachOfKey } from "./reach-of-key.server";

const reachOf = (
  allowedScopes: unknown,
  allowedServices: KeyPolicies["allowedServices"] = ["files", "activity"],
) => reachOfKey({ id: "own", allowedServices, allowedScopes }, services);

const event = (bucket: string, key: string, clientId: string | null = "other", from?: string) =>
  ({
    type: "file.moved",
    subject: { bucket, key },
    clientId,
    data: from === undefined ? {} : { from },
  }) as StoredEvent;
const email = {
  type: "email.sent",
  subject: { recipient: "a@example.com" },
  clientId: null,
  data: {},
} as unknown as StoredEvent;

describe("an API key reads", () => {
  const places = [
    ["a", "x"],
    ["a", "docs/"],
    ["a", "docs/x"],
    ["a", "docs-old/x"],
    ["a", "in/x"],
    ["b", "docs/x"],
  ] as const;
  const files = (policy: object) => ({ files: { buckets: ["a"], ...policy } });
  it.each<[string, unknown, string[], string[], boolean]>([
    ["a whole bucket", files({}), ["a/x", "a/docs/", "a/docs/x", "a/docs-old/x", "a/in/x"], [], true],
    ["a folder", files({ paths: ["/docs"] }), ["a/docs/", "a/docs/x"], [], false],
    [
      "several buckets",
      { files: { buckets: ["a", "b"], paths: ["/docs"] } },
      ["a/docs/", "a/docs/x", "b/docs/x"],
      [],
      false,
    ],
    [
      "its own uploads to a folder that it does not browse",
      files({ paths: ["/docs"], uploadFolders: ["/in"] }),
      ["a/docs/", "a/docs/x"],
      ["a/in/x"],
      false,
    ],
    [
      "what is browsed of everybody, also where it uploads",
      files({ uploadFolders: ["/in"] }),
      ["a/x", "a/docs/", "a/docs/x", "a/docs-old/x", "a/in/x"],
      [],
      true,
    ],
    [
      "its own with a hand-in page alone",
      files({ view: "hand-in", uploadFolders: ["/in"] }),
      [],
      ["a/in/x"],
      false,
    ],
    [
      "its own of the bucket with a hand-in page alone",
      files({ view: "hand-in" }),
      [],
      ["a/x", "a/docs/", "a/docs/x", "a/docs-old/x", "a/in/x"],
      false,
    ],
    ["nothing with a path that is none", files({ paths: ["docs"] }), [], [], false],
    ["nothing with no paths", files({ paths: [] }), [], [], false],
    ["nothing with a policy that is none", { files: { buckets: "a" } }, [], [], false],
    ["nothing without a policy", null, [], [], false],
    [
      "what activity names, too",
      { ...files({ view: "hand-in" }), activity: { buckets: ["b"], paths: ["/docs"] } },
      ["b/docs/x"],
      ["a/x", "a/docs/", "a/docs/x", "a/docs-old/x", "a/in/x"],
      false,
    ],
    [
      "everything with activity of the company",
      { activity: {} },
      ["a/x", "a/docs/", "a/docs/x", "a/docs-old/x", "a/in/x", "b/docs/x"],
      [],
      true,
    ],
  ])("%s", (_, scopes, everybodys, own, others) => {
    const reach = reachOf(scopes);
    const read = (clientId: string | null) =>
      places
        .filter(([bucket, key]) => isInReach(event(bucket, key, clientId), reach))
        .map((place) => place.join("/"));
    expect(read("other")).toEqual(everybodys);
    expect(read(null)).toEqual(everybodys);
    expect(read("own").sort()).toEqual([...everybodys, ...own].sort());
    expect(isInReach(email, reach)).toBe(others);
  });

  it("nothing of a service that it may not embed", () => {
    const scopes = { files: { buckets: ["a"] }, activity: {} };
    for (const allowed of [[], null, ["notif"], ["constructor"]])
      expect(reachOf(scopes, allowed)).toEqual({ folders: [], others: false });
  });

  it("of a move into its folders no source outside of them, and of a move out of them nothing", () => {
    const reach = reachOf(files({ paths: ["/docs"] }));
    expect(hideSource(event("a", "docs/x", "other", "secret/x"), reach).data).toEqual({});
    expect(hideSource(event("a", "docs/x", "other", "docs/y"), reach).data).toEqual({ from: "docs/y" });
    expect(isInReach(event("a", "secret/x", "other", "docs/x"), reach)).toBe(false);
  });

  it("how full folders are only if it may read all of them", () => {
    const quota = (...paths: string[]) =>
      ({ ...event("a", "docs/"), type: "usage.threshold", data: { paths } }) as unknown as StoredEvent;
    const reach = reachOf(files({ paths: ["/docs", "/in"] }));
    expect(isInReach(quota("/docs", "/in/b"), reach)).toBe(true);
    expect(isInReach(quota("/docs", "/secret"), reach)).toBe(false);
    expect(isInReach(quota("/docs", "/"), reach)).toBe(false);
  });

  it("how full folders of several buckets are only if it may read all of these", () => {
    const quota = (...buckets: string[]) =>
      ({
        ...event("a", ""),
        type: "usage.threshold",
        data: { paths: ["/"], buckets },
      }) as unknown as StoredEvent;
    expect(isInReach(quota("a", "b"), reachOf({ files: { buckets: ["a"] } }))).toBe(false);
    expect(isInReach(quota("a"), reachOf({ files: { buckets: ["a"] } }))).toBe(true);
    expect(isInReach(quota("a", "b"), reachOf({ files: { buckets: ["b", "a"] } }))).toBe(true);
  });
});
