import { beforeEach, describe, expect, it, vi } from "vitest";
import { standardError } from "../shared/log.server";
import { RevokedTokens } from "./revoked-tokens.server";

let rows: { visitor: string; revokedBefore: number }[];
let now: number;
const query = vi.fn();
beforeEach(() => {
  rows = [];
  now = 1_000;
  query.mockReset().mockImplementation(async () => rows);
});

const create = () => new RevokedTokens({ $reservedQuery: query }, { now: () => now });
const token = (issuedAt: number, visitor?: string) => ({
  clientId: "client",
  visitor: visitor === undefined ? undefined : { id: visitor },
  issuedAt,
});
const refused = expect.objectContaining({
  code: "token_revoked",
  message: "The embed token was revoked. Ask your backend for a new one.",
});

describe("revoked tokens", () => {
  it("are those that were issued before, of one visitor or of all", async () => {
    rows = [{ visitor: "ada", revokedBefore: 100 }];
    const revoked = create();
    await expect(revoked.check(token(99, "ada"))).rejects.toEqual(refused);
    await revoked.check(token(100, "ada"));
    await revoked.check(token(99, "grace"));
    await revoked.check(token(99));

    rows.push({ visitor: "", revokedBefore: 50 });
    now += 5_000;
    await expect(revoked.check(token(99, "ada"))).rejects.toEqual(refused);
    await expect(revoked.check(token(49, "grace"))).rejects.toEqual(refused);
    await expect(revoked.check(token(49))).rejects.toEqual(refused);
    await revoked.check(token(50));
  });

  it("are all tokens of a client whose key was revoked", async () => {
    rows = [
      { visitor: "", revokedBefore: 50 },
      { visitor: "", revokedBefore: Number.POSITIVE_INFINITY },
    ];
    await expect(create().check(token(4_000_000_000))).rejects.toEqual(refused);
  });

  it("are known within 5 seconds, by one query for all requests of that time", async () => {
    const revoked = create();
    await Promise.all([revoked.check(token(1, "ada")), revoked.check(token(1, "grace"))]);
    now += 3_999;
    await revoked.check(token(1));
    expect(query).toHaveBeenCalledTimes(1);
    rows = [{ visitor: "ada", revokedBefore: 100 }];
    now += 2;
    await expect(revoked.check(token(1, "ada"))).rejects.toEqual(refused);
  });

  it("stay revoked while the database is down, and all others valid; the log says so once", async () => {
    const log = vi.spyOn(standardError, "write").mockImplementation(() => {});
    rows = [{ visitor: "ada", revokedBefore: 100 }];
    const revoked = create();
    await revoked.check(token(1, "grace"));
    query.mockRejectedValue(new Error("connect ECONNREFUSED"));
    for (const _ of [1, 2]) {
      now += 5_000;
      await expect(revoked.check(token(1, "ada"))).rejects.toEqual(refused);
      await revoked.check(token(1, "grace"));
    }
    await create().check(token(1, "ada"));
    expect(query).toHaveBeenCalledTimes(4);
    expect(log.mock.calls.length).toBeLessThanOrEqual(2);
    log.mockRestore();
  });

  it("delay a request by a second at most when the database does not answer", async () => {
    vi.useFakeTimers();
    const log = vi.spyOn(standardError, "write").mockImplementation(() => {});
    query.mockImplementation(() => new Promise(() => {}));
    const checked = create().check(token(1));
    await vi.advanceTimersByTimeAsync(1_000);
    await checked;
    log.mockRestore();
    vi.useRealTimers();
  });
});
