import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { standardError } from "../shared/log.server";
import { renewed, type SigningCredentials } from "./cloud-credentials.server";
import { CredentialsError } from "./connection-errors";

const MINUTE = 60_000;
/** how long the next credentials live, milliseconds */
let lifeMs: number;
let fetched: number;
let lines: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2027, 0, 1) });
  [lifeMs, fetched, lines] = [60 * MINUTE, 0, []];
  vi.spyOn(standardError, "write").mockImplementation((line) => void lines.push(line));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const next = async (): Promise<SigningCredentials> => {
  fetched++;
  const expiration = new Date(Date.now() + lifeMs);
  return { accessKeyId: `key-${fetched}`, secretAccessKey: `secret-${fetched}`, expiration };
};
const refuse = async (): Promise<SigningCredentials> => {
  fetched++;
  throw new Error("refused");
};
const silent = () => new Promise<SigningCredentials>(() => void fetched++);

const outcomeOf = (call: Promise<SigningCredentials>): Promise<string> =>
  call.then(
    ({ accessKeyId }) => accessKeyId,
    (error: Error) => error.name,
  );

/** Three attempts with two pauses between them. */
async function afterRetries(call: Promise<SigningCredentials>): Promise<string> {
  const outcome = outcomeOf(call);
  for (let pause = 0; pause < 2; pause++) await vi.advanceTimersToNextTimerAsync();
  return outcome;
}

describe("credentials", () => {
  it("that have no end are asked for once", async () => {
    const credentials = renewed(async () => ({ ...(await next()), expiration: undefined }));
    for (let hour = 0; hour < 24; hour++) {
      expect(await outcomeOf(credentials())).toBe("key-1");
      vi.setSystemTime(Date.now() + 60 * MINUTE);
    }
  });

  it("are renewed before their end, while the old ones are still used", async () => {
    const credentials = renewed(next);
    expect(await outcomeOf(credentials())).toBe("key-1");
    vi.setSystemTime(Date.now() + 49 * MINUTE);
    expect(await outcomeOf(credentials())).toBe("key-1");
    expect(fetched).toBe(1);
    vi.setSystemTime(Date.now() + 3 * MINUTE);
    expect(await outcomeOf(credentials())).toBe("key-1");
    await vi.advanceTimersByTimeAsync(0);
    expect(await outcomeOf(credentials())).toBe("key-2");
  });

  it("that are signed with live for five minutes or longer, also after a long pause", async () => {
    const credentials = renewed(next);
    await outcomeOf(credentials());
    vi.setSystemTime(Date.now() + 57 * MINUTE);
    expect(await outcomeOf(credentials())).toBe("key-2");
  });

  it("are asked for once by all calls together", async () => {
    const credentials = renewed(next);
    const calls = await Promise.all(Array.from({ length: 20 }, () => credentials()));
    expect(new Set(calls.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(["key-1"]));
  });

  it("that soon end are not asked for at every call", async () => {
    lifeMs = 2 * MINUTE;
    const credentials = renewed(next);
    for (let second = 0; second < 600; second++) {
      await outcomeOf(credentials());
      vi.setSystemTime(Date.now() + 1000);
    }
    expect(fetched).toBeGreaterThanOrEqual(10);
    expect(fetched).toBeLessThanOrEqual(21);
  });

  it("are used until their end if the provider refuses, which is tried a bounded number of times", async () => {
    let work = next;
    const credentials = renewed(() => work());
    await outcomeOf(credentials());
    work = refuse;
    fetched = 0;
    vi.setSystemTime(Date.now() + 59 * MINUTE);
    expect(await afterRetries(credentials())).toBe("key-1");
    expect(fetched).toBe(3);
    // Within the pause nobody asks again.
    expect(await outcomeOf(credentials())).toBe("key-1");
    expect(fetched).toBe(3);
    vi.setSystemTime(Date.now() + 2 * MINUTE);
    expect(await afterRetries(credentials())).toBe("CredentialsError");
    work = next;
    vi.setSystemTime(Date.now() + MINUTE);
    expect(await outcomeOf(credentials())).toMatch("key-");
  });

  it("are asked for again before their end if a renewal that began late got no response", async () => {
    let work = next;
    lifeMs = 10_000;
    const credentials = renewed(() => work());
    await outcomeOf(credentials());
    vi.setSystemTime(Date.now() + 5_800);
    work = silent;
    const call = outcomeOf(credentials());
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await call).toBe("key-1");
    work = next;
    vi.setSystemTime(Date.now() + 250);
    expect(await outcomeOf(credentials())).toBe("key-3");
  });

  it("are asked for once more if they ended while a renewal got no response", async () => {
    let work = next;
    lifeMs = 10_000;
    const credentials = renewed(() => work());
    await outcomeOf(credentials());
    vi.setSystemTime(Date.now() + 7_000);
    work = silent;
    const call = outcomeOf(credentials());
    await vi.advanceTimersByTimeAsync(3_900);
    work = next;
    await vi.advanceTimersByTimeAsync(100);
    expect(await call).toBe("key-3");
  });

  it.each([
    ["have ended", -MINUTE],
    ["end at no time", Number.NaN],
  ])("that %s count as none, and those at hand are kept", async (_, life) => {
    const credentials = renewed(next);
    expect(await outcomeOf(credentials())).toBe("key-1");
    lifeMs = life;
    vi.setSystemTime(Date.now() + 58 * MINUTE);
    expect(await afterRetries(credentials())).toBe("key-1");
    expect(lines.join("")).toMatch("handed out credentials that have ended");
    // It is asked again, but not at every call.
    const asked = fetched;
    expect(asked).toBeLessThanOrEqual(4);
    expect(await outcomeOf(credentials())).toBe("key-1");
    expect(fetched).toBe(asked);
    lifeMs = 60 * MINUTE;
    vi.setSystemTime(Date.now() + MINUTE);
    expect(await outcomeOf(credentials())).toBe(`key-${asked + 1}`);
  });

  it("of a provider that goes silent are missed within a time limit, and asked for anew", async () => {
    let work = silent;
    const credentials = renewed(() => work());
    const call = credentials();
    const refused = expect(call).rejects.toThrow(CredentialsError);
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
    await expect(credentials()).rejects.toThrow("no response within 4000 ms");
    expect(fetched).toBe(1);
    // The request that hangs is not waited for.
    work = next;
    vi.setSystemTime(Date.now() + MINUTE);
    expect(await outcomeOf(credentials())).toBe("key-2");
    expect(lines.join("")).toMatch("could not be renewed");
  });
});
