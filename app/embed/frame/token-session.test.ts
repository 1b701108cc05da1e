/** In one file, because all of it is played against the page below. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RENEWAL_TIMEOUT_MS } from "./decide-renewal";
import { EmbeddingPage } from "./embedding-page-messages";
import { readTimes, SessionEndedError, TokenSession } from "./token-session";

const HOST = "https://app.example";
const START = 1_800_000_000;
const EXPIRED = { type: "platform.embed.token-expired", service: "files" };

/** A page with the frame inside it: what it receives, and what it responds. */
class FakeFrame {
  readonly received: { message: unknown; origin: string }[] = [];
  readonly parent = {
    postMessage: (message: unknown, origin: string) => this.received.push({ message, origin }),
  };
  readonly window = Object.assign(new EventTarget(), { parent: this.parent as unknown });
  readonly document = Object.assign(new EventTarget(), { visibilityState: "visible" });

  says(data: unknown, from: { source?: unknown; origin?: string } = {}): void {
    const event = Object.assign(new Event("message"), { source: this.parent, origin: HOST, data, ...from });
    this.window.dispatchEvent(event);
  }

  sends(token: string, from?: { source?: unknown; origin?: string }): void {
    this.says({ type: "platform.embed.token-refreshed", token }, from);
  }

  get asked(): number {
    return this.received.filter(({ message }) => JSON.stringify(message) === JSON.stringify(EXPIRED)).length;
  }
}

/** @param members such as `companyId` and `visitor` */
function tokenFor(seconds: number, issuedAt = Math.floor(Date.now() / 1000), members: object = {}): string {
  const payload = JSON.stringify({ iat: issuedAt, exp: issuedAt + seconds, note: "¿¾", ...members });
  return `${Buffer.from(payload).toString("base64url")}.mac`;
}

let frame: FakeFrame;
let stop = () => {};

function open(lifetime: number, serverNow = START, members: object = {}): TokenSession {
  const token = { token: tokenFor(lifetime, serverNow, members), expiresAt: serverNow + lifetime, serverNow };
  const embeddingPage = new EmbeddingPage({
    embeddingOrigin: HOST,
    allowedOrigins: [HOST, "https://other.example"],
  });
  const session = new TokenSession("files", token, embeddingPage);
  stop = session.start();
  return session;
}

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

beforeEach(() => {
  vi.useFakeTimers({ now: START * 1000 });
  frame = new FakeFrame();
  vi.stubGlobal("window", frame.window);
  vi.stubGlobal("document", frame.document);
});

afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a request for a new token", () => {
  test("is sent once, half a minute before the token expires, to the parent's exact origin", async () => {
    open(900);
    await pass(869);
    expect(frame.asked).toBe(0);
    await pass(2);
    expect(frame.received).toEqual([{ message: EXPIRED, origin: HOST }]);
  });

  test("is sent a fifth of the lifetime before the end if that is shorter", async () => {
    open(10);
    await pass(7.9);
    expect(frame.asked).toBe(0);
    await pass(0.2);
    expect(frame.asked).toBe(1);
  });

  test("is sent for each new token", async () => {
    open(100);
    await pass(81);
    frame.sends(tokenFor(100));
    await pass(79);
    expect(frame.asked).toBe(1);
    await pass(2);
    expect(frame.asked).toBe(2);
  });

  test("does not depend on the visitor's clock", async () => {
    vi.setSystemTime((START - 300) * 1000);
    open(100);
    await pass(79);
    expect(frame.asked).toBe(0);
    await pass(2);
    expect(frame.asked).toBe(1);
  });

  test("is not delayed by a clock that is set back", async () => {
    open(100);
    await pass(10);
    vi.setSystemTime((START - 3600) * 1000);
    await pass(71);
    expect(frame.asked).toBe(1);
  });

  test("is not repeated endlessly if the clock jumps ahead", async () => {
    const session = open(900);
    vi.setSystemTime((START + 7200) * 1000);
    frame.window.dispatchEvent(new Event("online"));
    expect(frame.asked).toBe(1);
    frame.sends(tokenFor(900, START));
    expect(session.getState()).toMatchObject({ status: "active", expired: false });
    await pass(60);
    expect(frame.asked).toBe(1);
  });

  test("is sent after a sleep in which no timer ran", () => {
    open(100);
    vi.setSystemTime((START + 500) * 1000);
    frame.document.dispatchEvent(new Event("visibilitychange"));
    expect(frame.asked).toBe(1);
  });

  test("is not sent more often if the page returns expired tokens", async () => {
    const session = open(100);
    await pass(101);
    frame.sends(tokenFor(100, START));
    expect(frame.asked).toBe(2);
    frame.sends(tokenFor(100, START));
    await pass(3);
    expect(frame.asked).toBe(2);
    await pass(2);
    expect(frame.asked).toBe(3);
    expect(session.getState().expired).toBe(true);
  });

  test("is sent to nobody if the frame was opened on its own", async () => {
    frame.window.parent = frame.window;
    const session = open(10);
    await pass(30);
    expect(session.getState()).toMatchObject({ status: "not-renewed", expired: true });
  });
});

describe("a storage request", () => {
  test("gets the token at once while it is valid, also during a renewal", async () => {
    const session = open(100);
    const first = await session.freshToken();
    await pass(81);
    expect(await session.freshToken()).toBe(first);
  });

  test("waits after the token has expired, and continues with the new one", async () => {
    const session = open(100);
    await pass(101);
    const waiting = session.freshToken();
    const token = tokenFor(100);
    frame.sends(token);
    expect(await waiting).toBe(token);
  });

  test("that the server refuses as expired waits for one new token, together with all others", async () => {
    const session = open(900);
    const spent = await session.freshToken();
    session.reportExpired(spent);
    const waiting = [session.freshToken(), session.freshToken()];
    session.reportExpired(spent);
    expect(frame.asked).toBe(1);
    const token = tokenFor(800);
    frame.sends(token);
    expect(await Promise.all(waiting)).toEqual([token, token]);
  });

  test("does not wait once it is aborted", async () => {
    const session = open(10);
    await pass(11);
    const abort = new AbortController();
    const waiting = session.freshToken(abort.signal);
    abort.abort(new Error("given up"));
    await expect(waiting).rejects.toThrow("given up");
  });
});

describe("a missing response", () => {
  test("is shown after a while, and the retry button sends another request", async () => {
    const session = open(10);
    // It is asked for at 8 s, and again at the end.
    await pass(10 + RENEWAL_TIMEOUT_MS / 1000 - 1);
    expect(session.getState()).toMatchObject({ status: "renewing", expired: true });
    await pass(1);
    expect(session.getState()).toMatchObject({ status: "not-renewed", expired: true });
    const waiting = session.freshToken();
    session.renew();
    expect(frame.asked).toBe(3);
    const token = tokenFor(900);
    frame.sends(token);
    expect(await waiting).toBe(token);
    expect(session.getState()).toMatchObject({ status: "active", expired: false });
  });

  test("is shown, and leads to another request when the token expires", async () => {
    const session = open(100);
    await pass(81);
    expect(session.getState()).toMatchObject({ status: "renewing", expired: false });
    await pass(15);
    expect(session.getState()).toMatchObject({ status: "not-renewed", expired: false });
    await pass(5);
    expect(session.getState()).toMatchObject({ status: "renewing", expired: true });
    expect(frame.asked).toBe(2);
    await pass(15);
    expect(session.getState()).toMatchObject({ status: "not-renewed", expired: true });
  });

  test("leads to another request when the browser comes online", async () => {
    open(10);
    await pass(30);
    frame.window.dispatchEvent(new Event("online"));
    expect(frame.asked).toBe(3);
  });

  test("ends the session and all waiting requests if it is final", async () => {
    const session = open(10);
    await pass(11);
    const waiting = session.freshToken();
    frame.says({ type: "platform.embed.token-unavailable", retryable: false });
    await expect(waiting).rejects.toBeInstanceOf(SessionEndedError);
    await expect(session.freshToken()).rejects.toBeInstanceOf(SessionEndedError);
    expect(session.getState().status).toBe("ended");
  });
});

describe("a new token", () => {
  test.each([
    ["another window", { source: {} }],
    ["another origin", { origin: "https://evil.example" }],
    ["an origin that only begins alike", { origin: `${HOST}.evil.example` }],
  ])("is ignored if it comes from %s", async (_, from) => {
    const session = open(900);
    const before = await session.freshToken();
    frame.sends(tokenFor(900, START + 1), from);
    expect(await session.freshToken()).toBe(before);
  });

  test("may come from any origin of the token", async () => {
    const session = open(900);
    const token = tokenFor(900, START + 1);
    frame.sends(token, { origin: "https://other.example" });
    expect(await session.freshToken()).toBe(token);
  });

  test("that was issued earlier comes too late, unless the one at hand has ended", async () => {
    const session = open(60);
    await pass(61);
    const late = tokenFor(60, START + 50);
    const token = tokenFor(60);
    frame.sends(token);
    frame.sends(late);
    expect(await session.freshToken()).toBe(token);
    expect(session.getState()).toMatchObject({ status: "active", expired: false });
    // Such as after the signing secret was replaced: the clock of another server may be behind.
    session.reportExpired(token);
    frame.sends(late);
    expect(await session.freshToken()).toBe(late);
  });

  test.each(["", "x", "e30.mac", "bm90IGpzb24.mac"])(
    "that cannot be read (%j) is not taken",
    async (token) => {
      const session = open(900);
      const before = await session.freshToken();
      frame.sends(token);
      expect(await session.freshToken()).toBe(before);
      expect(readTimes(token)).toBeNull();
    },
  );
});

describe("a page that the browser keeps for its Back button", () => {
  const say = (type: string, persisted = true) =>
    frame.window.dispatchEvent(Object.assign(new Event(type), { persisted }));
  const ada = { companyId: "c1", visitor: { id: "ada" } };

  test("shows nothing until it has another token, for which it asks once, as soon as it is back", async () => {
    const session = open(900);
    say("pagehide");
    expect(session.getState()).toEqual({ status: "active", expired: true, wasLeft: true });
    const waiting = session.freshToken();
    await pass(60);
    expect(frame.asked, "while it is away").toBe(0);
    frame.document.dispatchEvent(new Event("visibilitychange"));
    say("pageshow");
    frame.window.dispatchEvent(new Event("online"));
    expect(frame.asked).toBe(1);
    expect(session.getState()).toEqual({ status: "renewing", expired: true, wasLeft: true });
    const token = tokenFor(900);
    frame.sends(token);
    expect(await waiting).toBe(token);
    expect(session.getState()).toEqual({ status: "active", expired: false, wasLeft: false });
  });

  test("asks although it had asked just before it was left, and takes no reply meanwhile", async () => {
    const session = open(100);
    await pass(81);
    expect(frame.asked).toBe(1);
    say("pagehide");
    frame.sends(tokenFor(100));
    expect(session.getState().wasLeft).toBe(true);
    say("pageshow");
    expect(frame.asked).toBe(2);
  });

  test("does not take a token that was issued before it was left, and asks again", async () => {
    const session = open(100);
    await pass(81);
    expect(frame.asked).toBe(1);
    const late = tokenFor(100, START + 81);
    say("pagehide");
    await pass(3_600);
    say("pageshow");
    expect(frame.asked).toBe(2);
    frame.sends(late);
    expect(session.getState()).toEqual({ status: "renewing", expired: true, wasLeft: true });
    expect(frame.asked).toBe(3);
    frame.sends(tokenFor(100, START + 3_682));
    expect(session.getState()).toEqual({ status: "active", expired: false, wasLeft: false });
  });

  test("takes none of several tokens that were asked for before it was left", async () => {
    const session = open(100);
    await pass(101);
    expect(frame.asked).toBe(2);
    say("pagehide");
    await pass(60);
    say("pageshow");
    for (const issuedAt of [START + 81, START + 101]) {
      frame.sends(tokenFor(900, issuedAt));
      expect(session.getState()).toMatchObject({ expired: true, wasLeft: true });
    }
    frame.sends(tokenFor(900, START + 161));
    expect(session.getState()).toEqual({ status: "active", expired: false, wasLeft: false });
  });

  test("takes the second token after it has come back, although its own clock is wrong", async () => {
    const session = open(900);
    say("pagehide");
    say("pageshow");
    for (const asked of [1, 2]) {
      expect(frame.asked).toBe(asked);
      frame.sends(tokenFor(900, START - 60));
    }
    expect(session.getState()).toMatchObject({ status: "active", wasLeft: false });
  });

  test("shows nothing if the embedding page has no token, or does not reply", async () => {
    const session = open(900);
    say("pagehide");
    say("pageshow");
    await pass(RENEWAL_TIMEOUT_MS / 1000);
    expect(session.getState()).toEqual({ status: "not-renewed", expired: true, wasLeft: true });
    frame.says({ type: "platform.embed.token-unavailable", retryable: false });
    expect(session.getState()).toMatchObject({ status: "ended", wasLeft: true });
    await expect(session.freshToken()).rejects.toBeInstanceOf(SessionEndedError);
  });

  test("shows nothing to another visitor", async () => {
    const session = open(900, START, ada);
    say("pagehide");
    say("pageshow");
    frame.sends(tokenFor(900, START + 1, { ...ada, visitor: { id: "ben" } }));
    expect(session.getState()).toMatchObject({ status: "ended", wasLeft: true });
  });

  test("stays ended if its session had ended", () => {
    const session = open(900);
    frame.says({ type: "platform.embed.token-unavailable", retryable: false });
    say("pagehide");
    say("pageshow");
    expect(session.getState().status).toBe("ended");
    expect(frame.asked).toBe(0);
  });

  test("that it does not keep, and one that is shown for the first time, change nothing", async () => {
    const session = open(900);
    say("pageshow", false);
    say("pagehide", false);
    expect(session.getState()).toEqual({ status: "active", expired: false, wasLeft: false });
    expect(frame.asked).toBe(0);
  });
});

describe("a new token of somebody else", () => {
  const ada = { companyId: "c1", visitor: { id: "ada" } };
  const unnamed = (path: string, bucket = "b1") => ({ companyId: "c1", scope: { bucket, path } });
  const refused = { type: "platform.embed.error", service: "files", code: "invalid_token" };
  const errors = () => frame.received.filter(({ message }) => Object(message).type === refused.type);

  test.each([
    ["another visitor", ada, { ...ada, visitor: { id: "bob" } }],
    ["the same id in another company", ada, { ...ada, companyId: "c2" }],
    ["nobody by name", ada, { companyId: "c1" }],
    ["a visitor, after a token without one", { companyId: "c1" }, ada],
    ["nobody by name, in another company", { companyId: "c1" }, { companyId: "c2" }],
    ["nobody by name, in another folder", unnamed("/ada"), unnamed("/bob")],
    ["nobody by name, in another bucket", unnamed("/ada"), unnamed("/ada", "b2")],
  ])("(%s) is not taken: all requests end, and the page is told", async (_, first, second) => {
    const session = open(900, START, first);
    frame.sends(tokenFor(900, START + 1, second));
    await expect(session.freshToken()).rejects.toBeInstanceOf(SessionEndedError);
    expect(session.getState().status).toBe("ended");
    expect(errors()).toMatchObject([{ message: refused, origin: HOST }]);
  });

  test("is not taken after the end of a session, which goes on with a token of its own visitor", async () => {
    const session = open(900, START, ada);
    frame.says({ type: "platform.embed.token-unavailable", retryable: false });
    frame.sends(tokenFor(900, START + 1, { ...ada, visitor: { id: "bob" } }));
    expect(session.getState().status).toBe("ended");
    expect(errors()).toHaveLength(1);
    const token = tokenFor(900, START + 2, ada);
    frame.sends(token);
    expect(await session.freshToken()).toBe(token);
    expect(session.getState().status).toBe("active");
  });

  test.each([
    [
      "another scope, API key or name",
      ada,
      { ...ada, cid: "k2", scope: {}, visitor: { id: "ada", name: "Ada" } },
    ],
    [
      "nobody by name, like the one before, in the same folder",
      unnamed("/ada"),
      { ...unnamed("/ada"), cid: "k2" },
    ],
  ])("is none if it has %s", async (_, first, second) => {
    const session = open(900, START, first);
    const token = tokenFor(900, START + 1, second);
    frame.sends(token);
    expect(await session.freshToken()).toBe(token);
    expect(errors()).toEqual([]);
  });

  test("is none in a frame that was refused without a token", async () => {
    const page = new EmbeddingPage({ embeddingOrigin: HOST, allowedOrigins: [HOST] });
    const session = new TokenSession("files", { token: "", expiresAt: START - 1, serverNow: START }, page);
    stop = session.start();
    for (const id of ["ada", "bob"]) {
      const token = tokenFor(900, START + 1, { companyId: "c1", visitor: { id } });
      frame.sends(token);
      expect(await session.freshToken()).toBe(token);
    }
  });
});
