import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import { DECISION_TIMEOUT_MS, EmbeddingPageGate, RESPONSE_TIMEOUT_MS } from "./embedding-page-gate";
import type { GateDecision } from "./transfers/upload-queue";

const HOST = "https://app.example";
const files = ["a.txt", "b.txt", "c.txt"].map((name) => {
  return { name, size: 3, type: "text/plain", folderPath: "/" };
});

/** A window with an embedding page, and what is posted to that. */
let frame: EventTarget & { parent: { postMessage(message: unknown, origin: string): void } };
let posted: [message: unknown, origin: string][];
let decided: GateDecision[];

beforeEach(() => {
  vi.useFakeTimers();
  posted = [];
  decided = [];
  const parent = { postMessage: (...message: [unknown, string]) => void posted.push(message) };
  frame = Object.assign(new EventTarget(), { parent });
  vi.stubGlobal("window", frame);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function ask(answersBeforeUpload = true): boolean {
  const gate = new EmbeddingPageGate(
    new EmbeddingPage({ embeddingOrigin: HOST, allowedOrigins: [HOST] }),
    () => answersBeforeUpload,
  );
  return gate.ask(files, (decisions) => void decided.push(...decisions));
}

function say(id: number, decisions: object[], origin = HOST): void {
  const data = { type: "platform.embed.upload-decisions", id, decisions };
  frame.dispatchEvent(Object.assign(new Event("message"), { source: frame.parent, origin, data }));
}

const problems = () => decided.map(({ index, problem }) => [index, problem?.code]);

test("a page that has not announced decisions is not asked", () => {
  expect(ask(false)).toBe(false);
  expect(posted).toEqual([]);
});

test("a page is asked once about all files, at its exact origin", () => {
  expect(ask()).toBe(true);
  expect(posted).toEqual([[{ type: "platform.embed.before-upload", service: "files", id: 1, files }, HOST]]);
  say(1, [
    { index: 0, outcome: "accepted" },
    { index: 1, outcome: "accepted", name: "new.txt" },
    { index: 2, outcome: "refused", reason: "  Too old.  " },
  ]);
  expect(decided).toMatchObject([
    { index: 0 },
    { index: 1, name: "new.txt" },
    { index: 2, problem: { code: "refused", details: { reason: "Too old." } } },
  ]);
});

test("a reason that is too long is cut, and a reason may be missing", () => {
  ask();
  say(1, [
    { index: 0, outcome: "refused", reason: "🙂".repeat(300) },
    { index: 1, outcome: "refused", reason: " " },
  ]);
  expect(decided[0]?.problem?.details.reason).toBe("🙂".repeat(200));
  expect(decided[1]?.problem?.details).toEqual({});
});

test("only the page decides on a file, and only once", () => {
  ask();
  say(1, [{ index: 0, outcome: "refused" }], "https://other.example");
  say(2, [{ index: 0, outcome: "refused" }]);
  say(1, [{ index: 3, outcome: "refused" }]);
  expect(decided).toEqual([]);
  say(1, [
    { index: 0, outcome: "accepted" },
    { index: 0, outcome: "refused" },
  ]);
  say(1, [{ index: 0, outcome: "refused" }]);
  expect(problems()).toEqual([[0, undefined]]);
});

test("a file without a response in 5 seconds is uploaded; one that the page is waiting for fails after 30", () => {
  ask();
  say(1, [
    { index: 1, outcome: "waiting" },
    { index: 2, outcome: "waiting" },
  ]);
  vi.advanceTimersByTime(RESPONSE_TIMEOUT_MS);
  expect(problems()).toEqual([[0, undefined]]);
  say(1, [{ index: 1, outcome: "refused" }]);
  vi.advanceTimersByTime(DECISION_TIMEOUT_MS - RESPONSE_TIMEOUT_MS);
  expect(problems().slice(1)).toEqual([
    [1, "refused"],
    [2, "unanswered"],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
