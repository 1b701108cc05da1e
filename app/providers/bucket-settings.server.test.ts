import { expect, it, vi } from "vitest";
import { createBucketSettings } from "./bucket-settings.server";

const send = vi.fn();
const settings = createBucketSettings(send);

it("what a store would reset when lifecycle rules are written is written back", async () => {
  const rules = [{ ID: "a", Status: "Enabled" as const }];
  send.mockResolvedValue({ Rules: rules, TransitionDefaultMinimumObjectSize: "varies_by_storage_class" });
  const found = await settings.lifecycle("docs");
  await settings.putLifecycle("docs", found);
  expect(send.mock.lastCall?.[0].input).toEqual({
    Bucket: "docs",
    LifecycleConfiguration: { Rules: rules },
    TransitionDefaultMinimumObjectSize: "varies_by_storage_class",
  });
});

it("a bucket without rules has none, and any other failure stays one", async () => {
  const failWith = (name: string) => send.mockRejectedValue(Object.assign(new Error(), { name }));
  failWith("NoSuchLifecycleConfiguration");
  expect(await settings.lifecycle("docs")).toEqual({ rules: [], minimumSize: undefined });
  failWith("NoSuchCORSConfiguration");
  expect(await settings.corsRules("docs")).toEqual([]);
  failWith("NoSuchBucket");
  await expect(settings.lifecycle("docs")).rejects.toMatchObject({ name: "NoSuchBucket" });
  await expect(settings.corsRules("docs")).rejects.toMatchObject({ name: "NoSuchBucket" });
});
