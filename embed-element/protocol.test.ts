import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FrameMessage, type HostMessage, parseFrameMessage, parseHostMessage } from "./protocol";

const service = "files";
const frameMessages: FrameMessage[] = [
  { type: "platform.embed.token-expired", service },
  { type: "platform.embed.ready", version: 1, service, expiresAt: 1_900_000_000 },
  { type: "platform.embed.error", version: 1, service, code: "token_expired" },
  { type: "platform.embed.resize", height: 640 },
  { type: "platform.embed.navigate", service, path: "/invoices" },
  { type: "platform.embed.upload-complete", service, bucket: "acme", key: "a.txt", size: 3 },
  { type: "platform.embed.upload-failed", service, name: "a.txt", code: "denied" },
];
const hostMessages: HostMessage[] = [
  { type: "platform.embed.token-refreshed", token: "payload.mac" },
  { type: "platform.embed.token-unavailable", retryable: true },
  { type: "platform.embed.configure" },
  { type: "platform.embed.configure", theme: "dark", locale: "fr-CA" },
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

  it("drops a message that lacks a member or has one of another type", () => {
    for (const message of [...frameMessages, ...hostMessages.slice(0, 2)]) {
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
    expect(parseHostMessage({ type: "platform.embed.configure", theme: "pink" })).toBeNull();
    expect(parseHostMessage({ type: "platform.embed.configure", locale: 1 })).toBeNull();
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
