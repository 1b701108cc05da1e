import { type FilesClient, FilesError } from "platform-embed-element/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FileChecks } from "./file-checks";

const page = new EventTarget() as EventTarget & { visibilityState: string };
beforeEach(() => {
  vi.useFakeTimers();
  page.visibilityState = "visible";
  vi.stubGlobal("document", page);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const fileOf = (key: string) => ({
  name: key,
  key,
  size: 1,
  lastModified: "2026-11-01T00:00:00Z",
  etag: "1",
});

/** A server whose files have the errors of `errors`, and the keys of each request to it. */
function serverWith(errors: Record<string, string | undefined>) {
  const requests: string[][] = [];
  const urls = async (files: readonly { key: string }[]) => {
    const keys = files.map(({ key }) => key);
    requests.push(keys);
    if (errors.all) throw new FilesError("unreachable");
    return { downloads: keys.map((key) => (errors[key] ? { key, error: errors[key] } : { key })) };
  };
  return { errors, requests, client: { downloads: { urls } } as unknown as FilesClient };
}

/** What is shown for a file, newest last. */
function watch(checks: FileChecks, key: string) {
  const shown: string[] = [];
  return { shown, stop: checks.want(fileOf(key), (check) => shown.push(check)) };
}

it("asks about files that appear together in one request, and never about those that only scroll past", async () => {
  const { client, requests } = serverWith({ b: "being_checked", c: "blocked", d: "not_found" });
  const checks = new FileChecks(client);
  const watched = ["a", "b", "c", "d"].map((key) => watch(checks, key));
  watch(checks, "past").stop();
  await vi.advanceTimersByTimeAsync(100);
  expect(requests).toEqual([["a", "b", "c", "d"]]);
  expect(watched.map(({ shown }) => shown)).toEqual([
    ["readable"],
    ["being_checked"],
    ["blocked"],
    ["unknown"],
  ]);
});

it("asks about 100 files at a time", async () => {
  const { client, requests } = serverWith({});
  const checks = new FileChecks(client);
  for (let index = 0; index < 250; index++) watch(checks, `file ${index}`);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests.map((keys) => keys.length)).toEqual([100, 100, 50]);
});

it("remembers a result for a minute", async () => {
  const { client, requests } = serverWith({ a: "blocked" });
  const checks = new FileChecks(client);
  watch(checks, "a");
  await vi.advanceTimersByTimeAsync(59_000);
  expect(watch(checks, "a").shown).toEqual(["blocked"]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(requests).toHaveLength(1);
  watch(checks, "a");
  await vi.advanceTimersByTimeAsync(100);
  expect(requests).toHaveLength(2);
});

it("asks again about a file that is being checked, less and less often, until it has its tag", async () => {
  const { client, requests, errors } = serverWith({ a: "being_checked" });
  const { shown } = watch(new FileChecks(client), "a");
  watch(new FileChecks(client), "b");
  await vi.advanceTimersByTimeAsync(30_000);
  const asked = requests.filter(([key]) => key === "a").length;
  expect(asked).toBe(6);
  errors.a = undefined;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(shown.at(-1)).toBe("readable");
  const total = requests.length;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(requests).toHaveLength(total);
});

it("stops asking about a file that never gets its tag", async () => {
  const { client, requests } = serverWith({ a: "being_checked" });
  watch(new FileChecks(client), "a");
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(requests).toHaveLength(40);
});

it("does not ask while nobody sees the page or the row", async () => {
  const { client, requests } = serverWith({ a: "being_checked", b: "being_checked" });
  const checks = new FileChecks(client);
  watch(checks, "a");
  const { stop } = watch(checks, "b");
  await vi.advanceTimersByTimeAsync(100);
  stop();
  page.visibilityState = "hidden";
  await vi.advanceTimersByTimeAsync(60_000);
  expect(requests).toHaveLength(1);
  page.visibilityState = "visible";
  page.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(100);
  expect(requests).toEqual([["a", "b"], ["a"]]);
});

it("asks again when the network is back", async () => {
  const { client, errors } = serverWith({ all: "unreachable" });
  const { shown } = watch(new FileChecks(client), "a");
  await vi.advanceTimersByTimeAsync(100);
  expect(shown).toEqual(["unknown"]);
  errors.all = undefined;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(shown).toEqual(["unknown", "readable"]);
});
