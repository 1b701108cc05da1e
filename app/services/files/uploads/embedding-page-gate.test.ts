import { Store, type Upload, type UploadApproval, type UploadsState } from "platform-embed-element/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import { askEmbeddingPage, DECISION_TIMEOUT_MS, RESPONSE_TIMEOUT_MS } from "./embedding-page-gate";

const HOST = "https://app.example";
const files = ["a.txt", "b.txt", "c.txt"].map((name) => {
  return { name, size: 3, type: "text/plain", folderPath: "/" };
});

/** A window with an embedding page, and what is posted to that. */
let frame: EventTarget & { parent: { postMessage(message: unknown, origin: string): void } };
let posted: [message: unknown, origin: string][];
let decided: [id: number, approval: UploadApproval][];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  posted = [];
  decided = [];
  stop = () => {};
  const parent = { postMessage: (...message: [unknown, string]) => void posted.push(message) };
  frame = Object.assign(new EventTarget(), { parent });
  vi.stubGlobal("window", frame);
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const upload = (id: number, name: string, isWaiting = true): Upload => ({
  id,
  name,
  size: 3,
  sent: 0,
  isFolder: false,
  folderPath: "/",
  status: isWaiting ? "waiting" : "queued",
  question: isWaiting ? { about: "approval", contentType: "text/plain" } : null,
  error: null,
});
const stateOf = (...uploads: Upload[]): UploadsState => ({
  uploads,
  bytesPerSecond: null,
  isRemembering: true,
  isVerified: true,
  isLoading: false,
});
const three = () => stateOf(...files.map(({ name }, index) => upload(index + 10, name)));

/** Asks about the uploads of the state, whose answers are recorded. */
function ask(state = three()): Store<UploadsState> {
  const store = new Store(state);
  const embeddingPage = new EmbeddingPage({ embeddingOrigin: HOST, allowedOrigins: [HOST] });
  const answer = (id: number, approval: unknown) => void decided.push([id, approval as UploadApproval]);
  stop = askEmbeddingPage({
    uploads: { getState: store.getState, subscribe: store.subscribe, answer },
    embeddingPage,
  });
  return store;
}

function say(id: number, decisions: object[], origin = HOST): void {
  const data = { type: "platform.embed.upload-decisions", id, decisions };
  frame.dispatchEvent(Object.assign(new Event("message"), { source: frame.parent, origin, data }));
}

const codes = () => decided.map(([id, answer]) => [id, answer.approved ? "accepted" : answer.code]);

test("a page is not asked about uploads that wait for nothing", () => {
  ask(stateOf(upload(1, "a.txt", false)));
  expect(posted).toEqual([]);
});

test("a page is asked once about all files, at its exact origin", () => {
  const store = ask();
  store.setState({ ...store.getState() });
  expect(posted).toEqual([[{ type: "platform.embed.before-upload", service: "files", id: 1, files }, HOST]]);
  say(1, [
    { index: 0, outcome: "accepted" },
    { index: 1, outcome: "accepted", name: "new.txt" },
    { index: 2, outcome: "refused", reason: "  Too old.  " },
  ]);
  expect(decided).toEqual([
    [10, { approved: true, name: undefined }],
    [11, { approved: true, name: "new.txt" }],
    [12, { approved: false, code: "refused", reason: "Too old." }],
  ]);
});

test("a page is asked about at most 500 files at once", () => {
  ask(stateOf(...Array.from({ length: 501 }, (_, id) => upload(id, `${id}.txt`))));
  expect(posted.map(([message]) => (message as { files: unknown[] }).files.length)).toEqual([500, 1]);
});

test("a page is asked again about an upload that has waited for nothing meanwhile", () => {
  const store = ask(stateOf(upload(1, "a.txt")));
  store.setState(stateOf(upload(1, "a.txt", false)));
  store.setState(stateOf(upload(1, "a.txt")));
  expect(posted).toHaveLength(2);
});

test("a reason that is too long is cut, and a reason may be missing", () => {
  ask();
  say(1, [
    { index: 0, outcome: "refused", reason: "🙂".repeat(300) },
    { index: 1, outcome: "refused", reason: " " },
  ]);
  const refused = { approved: false, code: "refused" };
  expect(decided).toEqual([
    [10, { ...refused, reason: "🙂".repeat(200) }],
    [11, refused],
  ]);
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
  expect(codes()).toEqual([[10, "accepted"]]);
});

test("a file without a response in 5 seconds is uploaded; one that the page is waiting for fails after 30", () => {
  ask();
  say(1, [
    { index: 1, outcome: "waiting" },
    { index: 2, outcome: "waiting" },
  ]);
  vi.advanceTimersByTime(RESPONSE_TIMEOUT_MS);
  expect(codes()).toEqual([[10, "accepted"]]);
  say(1, [{ index: 1, outcome: "refused" }]);
  vi.advanceTimersByTime(DECISION_TIMEOUT_MS - RESPONSE_TIMEOUT_MS);
  expect(codes().slice(1)).toEqual([
    [11, "refused"],
    [12, "unanswered"],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
