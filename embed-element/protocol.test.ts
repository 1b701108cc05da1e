import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FrameMessage, type HostMessage, parseFrameMessage, parseHostMessage } from "./protocol";

const service = "files";
const file = { bucket: "acme", key: "a.txt", name: "a.txt", size: 3, contentType: "text/plain" };
const folder = { bucket: "acme", folderPath: "/invoices", name: "invoices" };
const frameMessages: FrameMessage[] = [
  { type: "platform.embed.token-expired", service },
  { type: "platform.embed.visible", service },
  { type: "platform.embed.ready", version: 1, service, expiresAt: 1_900_000_000 },
  { type: "platform.embed.error", version: 1, service, code: "token_expired" },
  { type: "platform.embed.resize", height: 640 },
  { type: "platform.embed.navigate", service, path: "/invoices" },
  { type: "platform.embed.folder-opened", service, id: 1 },
  {
    type: "platform.embed.before-upload",
    service,
    id: 1,
    files: [{ name: "a.txt", size: 3, type: "text/plain", folderPath: "/" }],
  },
  { type: "platform.embed.upload-progress", service, files: 2, filesDone: 1, size: 6, sent: 3 },
  { type: "platform.embed.upload-complete", service, bucket: "acme", key: "a.txt", size: 3 },
  { type: "platform.embed.upload-failed", service, name: "a.txt", code: "denied" },
  { type: "platform.embed.selection", service, items: [file, folder], count: 2 },
  { type: "platform.embed.choose", service, items: [{ ...file, url: "https://store.example/a.txt?sig" }] },
  { type: "platform.embed.choose-cancel", service },
  { type: "platform.embed.file-action", service, id: 1, action: "sign", items: [file] },
];
const hostMessages: HostMessage[] = [
  { type: "platform.embed.open-folder", id: 1, path: "/invoices" },
  { type: "platform.embed.token-refreshed", token: "payload.mac" },
  { type: "platform.embed.token-unavailable", retryable: true },
  { type: "platform.embed.configure" },
  { type: "platform.embed.configure", theme: "dark", locale: "fr-CA", answersBeforeUpload: true },
  {
    type: "platform.embed.configure",
    picker: { mode: "files", accept: "image/*,.pdf" },
    fileActions: [{ id: "sign", label: "Sign…", icon: "M5 12h14", for: "file", accept: ".pdf" }],
  },
  { type: "platform.embed.configure", picker: null, fileActions: [] },
  { type: "platform.embed.file-action-progress", id: 1, state: "running" },
  {
    type: "platform.embed.upload-decisions",
    id: 1,
    decisions: [
      { index: 0, outcome: "accepted", name: "b.txt" },
      { index: 1, outcome: "refused", reason: "Too old" },
      { index: 2, outcome: "waiting" },
    ],
  },
];

describe("the protocol", () => {
  it("keeps the two messages of a hand-written integration to the letter", () => {
    expect(parseFrameMessage({ type: "platform.embed.token-expired", service: "files" })).not.toBeNull();
    expect(parseHostMessage({ type: "platform.embed.token-refreshed", token: "t" })).not.toBeNull();
  });

  it.each(frameMessages)("reads $type from the frame, and from nobody else", (message) => {
    expect(parseFrameMessage(message)).toEqual(message);
    expect(parseHostMessage(message)).toBeNull();
  });

  it.each(hostMessages)("reads $type from the page, and from nobody else", (message) => {
    expect(parseHostMessage(message)).toEqual(message);
    expect(parseFrameMessage(message)).toBeNull();
  });

  it("reads the filters of a folder, which a frame may leave out", () => {
    const message = { type: "platform.embed.navigate", service, path: "/", filter: "kind=pdf&size=1000000" };
    expect(parseFrameMessage(message)).toEqual(message);
    expect(parseFrameMessage({ ...message, filter: { kind: "pdf" } })).toBeNull();
  });

  it("drops a message that lacks a member or has one of another type", () => {
    for (const message of [
      ...frameMessages,
      ...hostMessages.filter(({ type }) => type !== "platform.embed.configure"),
    ]) {
      for (const member of Object.keys(message)) {
        for (const changed of [
          { ...message, [member]: undefined },
          { ...message, [member]: {} },
        ]) {
          expect(parseFrameMessage(changed), JSON.stringify(changed)).toBeNull();
          expect(parseHostMessage(changed), JSON.stringify(changed)).toBeNull();
        }
      }
    }
  });

  it("reads what only newer frames say, and drops it where it has another type", () => {
    const ready = { type: "platform.embed.ready", version: 1, service, expiresAt: 1 };
    expect(parseFrameMessage({ ...ready, opensFolders: true })).not.toBeNull();
    expect(parseFrameMessage({ ...ready, opensFolders: "yes" })).toBeNull();
    const opened = { type: "platform.embed.folder-opened", service, id: 1 };
    expect(parseFrameMessage({ ...opened, code: "folder_not_found" })).not.toBeNull();
    expect(parseFrameMessage({ ...opened, code: 404 })).toBeNull();
    const missing = { type: "platform.embed.error", version: 1, service, code: "folder_not_found" };
    expect(parseFrameMessage({ ...missing, path: "/gone" })).not.toBeNull();
    expect(parseFrameMessage({ ...missing, path: 404 })).toBeNull();
  });

  it("drops a message with an optional member of another type", () => {
    const complete = { type: "platform.embed.upload-complete", service, bucket: "acme", key: "a", size: 3 };
    const withChecksum = { ...complete, checksum: "y/Q5Jg==", checksumAlgorithm: "CRC32" };
    expect(parseFrameMessage(withChecksum)).toEqual(withChecksum);
    for (const changed of [
      { ...withChecksum, checksum: 1 },
      { ...withChecksum, checksumAlgorithm: null },
    ]) {
      expect(parseFrameMessage(changed), JSON.stringify(changed)).toBeNull();
    }
    for (const changed of [{ theme: "pink" }, { locale: 1 }, { answersBeforeUpload: "yes" }]) {
      expect(parseHostMessage({ type: "platform.embed.configure", ...changed })).toBeNull();
    }
  });

  it("drops a list with a member that is not what it should be", () => {
    const file = { name: "a.txt", size: 3, type: "text/plain", folderPath: "/" };
    for (const files of [
      { 0: file },
      [null],
      [{ ...file, size: "3" }],
      [file, { ...file, name: undefined }],
    ]) {
      const question = { type: "platform.embed.before-upload", service, id: 1, files };
      expect(parseFrameMessage(question), JSON.stringify(files)).toBeNull();
    }
    const decision = { index: 0, outcome: "accepted" };
    for (const decisions of [
      "accepted",
      ["accepted"],
      [{ ...decision, index: "0" }],
      [{ ...decision, outcome: "maybe" }],
      [decision, { ...decision, name: 1 }],
      [{ ...decision, reason: { html: "<b>" } }],
    ]) {
      const answer = { type: "platform.embed.upload-decisions", id: 1, decisions };
      expect(parseHostMessage(answer), JSON.stringify(decisions)).toBeNull();
    }
  });

  it("drops everything else that a window can be sent", () => {
    fc.assert(
      fc.property(fc.anything(), (data) => {
        expect(parseFrameMessage(data)).toBeNull();
        expect(parseHostMessage(data)).toBeNull();
      }),
    );
  });
});
