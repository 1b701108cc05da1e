import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { configureLog, logError, redact, standardError, standardOutput, writeLog } from "./log.server";

const token = `${"eyJjaWQiOiJja3gifQ".repeat(4)}.${"mR7_k-".repeat(7)}x`;
const apiKey = "pek_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm";

describe("what is redacted", () => {
  it.each([
    ["a token", `bad: ${token}`, "bad: [redacted]"],
    ["an API key, and half of one", `${apiKey} ${apiKey.slice(0, 20)}`, "[redacted] [redacted]"],
    ["a signature in a URL", "GET /a?X-Amz-Signature=00ff&x=1", "GET /a?X-Amz-Signature=[redacted]&x=1"],
    ["a short token in a query", "/embed/files?t=abc", "/embed/files?t=[redacted]"],
    ["a bearer token", "Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"],
    ["an address", "<ada.lovelace+x@example.com> refused", "<[address]> refused"],
    ["an address in Unicode", "söfie@müller.de and 用户@例え.jp", "[address] and [address]"],
    ["an address in a URL", "to=ada%40example.com", "to=[address]"],
    ["an address in quotes", 'to "ada..l"@example.com', 'to "[address]'],
    ["an address in quotes in JSON", '{"to":"\\"ada..l\\"@example.com"}', '{"to":"\\"[address]"}'],
    [
      "an address in PostgreSQL's words",
      "Key (recipient)=(ada@example.com) exists",
      "Key (recipient)=([address]) exists",
    ],
  ])("%s", (_, text, expected) => expect(redact(text)).toBe(expected));

  it.each([
    "a request id 040138a9-c30d-4b37-b0ea-68d94991f741 stays",
    "at file:///srv/platform-embed/build/index.js:1234:56",
    "NoSuchBucket: The specified bucket does not exist",
    "SignatureDoesNotMatch (status 403)",
    'relation "email_deliveries" does not exist',
  ])("nothing of: %s", (text) => expect(redact(text)).toBe(text));

  it("looks at no more than the beginning of what is very long", () => {
    const cut = redact("some words ".repeat(20_000));
    expect(cut.length).toBe(16_001);
    expect(cut).toMatch(/…$/);
  });
});

describe("a line", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    configureLog({ json: true, secrets: [] });
  });

  it("is JSON with the request's id, and without a secret that is configured", () => {
    const lines: string[] = [];
    vi.spyOn(standardError, "write").mockImplementation((line: string) => void lines.push(line));
    configureLog({ json: true, secrets: ["s3cret-of-ours"] });
    logError("It failed: s3cret-of-ours.", { thrown: new Error("by ada@example.com"), requestId: "id-1" });
    const entry = JSON.parse(lines[0] ?? "");
    expect(entry).toMatchObject({ level: "error", requestId: "id-1", message: "It failed: [redacted]." });
    expect(entry.detail).toMatch(/^Error: by \[address\]\n/);
  });

  it.each([true, false])("has no character that a terminal would obey (JSON: %j)", (json) => {
    const lines: string[] = [];
    vi.spyOn(standardError, "write").mockImplementation((line: string) => void lines.push(line));
    configureLog({ json, secrets: [] });
    const text = "The store says: \u001b[2J\u009b2J\u0007\u007f\r.";
    logError(text);
    expect(lines[0]).not.toMatch(/\p{Cc}/u);
    if (json) expect(JSON.parse(lines[0] ?? "")).toMatchObject({ message: text });
    else expect(lines[0]).toContain("\\u001b[2J\\u009b2J");
  });

  it("of what is in order is written with the others of its turn, and none is lost at the end", async () => {
    const written = vi.spyOn(standardOutput, "write").mockImplementation(() => {});
    const write = (message: string) => writeLog("info", { message }, () => message);
    write("one");
    write("two");
    expect(written).not.toHaveBeenCalled();
    await turn();
    const [[text] = []] = written.mock.calls;
    const messages = String(text)
      .split("\n")
      .map((line) => JSON.parse(line).message);
    expect(messages).toEqual(["one", "two"]);
    write("three");
    for (const listener of process.listeners("exit")) if (listener.name === "writePending") listener(0);
    expect(written).toHaveBeenCalledTimes(2);
    await turn();
    expect(written).toHaveBeenCalledTimes(2);
  });
});
