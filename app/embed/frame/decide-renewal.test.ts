import { describe, expect, test } from "vitest";
import { decideRenewal, RENEWAL_TIMEOUT_MS, type SessionMoment } from "./decide-renewal";

const NEVER = Number.POSITIVE_INFINITY;
/** A token of 15 minutes, 5 of them left, that was never asked for. */
const moment: SessionMoment = {
  status: "active",
  expired: false,
  leftMs: 300_000,
  lifetimeMs: 900_000,
  sinceAskedMs: NEVER,
  retry: false,
};
const cases = (list: [string, Partial<SessionMoment>, ReturnType<typeof decideRenewal>][]) =>
  test.each(list)("%s", (_, change, decision) =>
    expect(decideRenewal({ ...moment, ...change })).toEqual(decision),
  );

const wait = (status: SessionMoment["status"], wakeAfterMs: number) => ({ status, ask: false, wakeAfterMs });
const ask = (wakeAfterMs: number) => ({ status: "renewing", ask: true, wakeAfterMs }) as const;

describe("an active token", () => {
  cases([
    ["is left alone until half a minute before its end", {}, wait("active", 270_000)],
    [
      "is left alone until a fifth before its end",
      { leftMs: 9_000, lifetimeMs: 10_000 },
      wait("active", 7_000),
    ],
    ["is renewed then", { leftMs: 30_000 }, ask(RENEWAL_TIMEOUT_MS)],
    ["is renewed early enough to notice its end", { leftMs: 10_000 }, ask(10_000)],
    ["is renewed once it has expired, whatever the clock says", { expired: true }, ask(RENEWAL_TIMEOUT_MS)],
    ["that arrived expired waits 5 s", { expired: true, sinceAskedMs: 1_000 }, wait("active", 4_000)],
    ["or half its life", { expired: true, lifetimeMs: 4_000, sinceAskedMs: 1_000 }, wait("active", 1_000)],
    ["is not renewed because of a retry", { retry: true }, wait("active", 270_000)],
  ]);
});

describe("a renewal", () => {
  const renewing = { status: "renewing", leftMs: 20_000, sinceAskedMs: 2_000 } as const;
  cases([
    ["is waited for", renewing, wait("renewing", 13_000)],
    ["is waited for past the end", { ...renewing, expired: true }, wait("renewing", 13_000)],
    ["notices the end", { ...renewing, leftMs: 500 }, wait("renewing", 500)],
    ["is not asked for twice", { ...renewing, retry: true }, wait("renewing", 13_000)],
    ["is asked for again at the end", { ...renewing, expired: true, leftMs: 0 }, ask(RENEWAL_TIMEOUT_MS)],
    [
      "is asked for once after the end",
      { ...renewing, expired: true, leftMs: -3_000, sinceAskedMs: 2_900 },
      wait("renewing", 12_100),
    ],
    ["fails after its time", { ...renewing, sinceAskedMs: RENEWAL_TIMEOUT_MS }, wait("not-renewed", 20_000)],
  ]);
});

describe("a renewal that failed", () => {
  const failed = { status: "not-renewed", leftMs: 20_000, sinceAskedMs: 60_000 } as const;
  cases([
    ["notices the end", failed, wait("not-renewed", 20_000)],
    [
      "is asked for once more at the end",
      { ...failed, expired: true, leftMs: -500 },
      ask(RENEWAL_TIMEOUT_MS),
    ],
    ["waits after the end", { ...failed, expired: true, leftMs: -70_000 }, wait("not-renewed", NEVER)],
    ["is asked for again on a retry", { ...failed, expired: true, retry: true }, ask(RENEWAL_TIMEOUT_MS)],
  ]);
});

test("a session that has ended does nothing", () => {
  expect(decideRenewal({ ...moment, status: "ended", expired: true, retry: true })).toEqual(
    wait("ended", NEVER),
  );
});
