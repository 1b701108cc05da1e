import { Webhook } from "standardwebhooks";
import { expect, expectTypeOf, test } from "vitest";
import type { EventType } from "../../../app/events/event";
import { createWebhookHandler, type FileEvent, type PlatformEvent } from "./webhook-handler.js";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const event = {
  id: "019ab3f2-7c11-7a52-9d0e-2f5f4c1b7e10",
  type: "file.uploaded",
  subject: { bucket: "b", key: "ärger/💥.txt" },
};

interface Changes {
  body?: string;
  sentAt?: Date;
  headers?: Record<string, string>;
  method?: string;
}

/** A message as the platform sends it, with `changes`. */
function message({ sentAt = new Date(), headers = {}, method = "POST", ...rest }: Changes = {}): Request {
  const body = JSON.stringify(event);
  return new Request("https://portal.example/webhooks", {
    method,
    headers: {
      "webhook-id": event.id,
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(event.id, sentAt, body),
      ...headers,
    },
    ...(method === "POST" && { body: rest.body ?? body }),
  });
}

function receiver(given: string | undefined = secret, onEvent?: (event: PlatformEvent) => unknown) {
  const got: [PlatformEvent, unknown][] = [];
  const errors: unknown[] = [];
  const handle = createWebhookHandler<string>({
    secret: given,
    onEvent: (happened, context) => {
      got.push([happened, context]);
      return onEvent?.(happened);
    },
    onError: (error) => errors.push(error),
  });
  return { handle, got, errors };
}

test("hands over an event whose signature is right", async () => {
  const { handle, got, errors } = receiver();
  expect((await handle(message(), "context")).status).toBe(204);
  expect([got, errors]).toEqual([[[event, "context"]], []]);
});

test("accepts one of several signatures, and a clock that is five minutes off", async () => {
  const { handle, got } = receiver();
  const [, own = ""] = message().headers.get("webhook-signature")?.split(",") ?? [];
  const others = `v1a,${own} v1,AAAA v1,not!base64 v1,${own}`;
  expect((await handle(message({ headers: { "webhook-signature": others } }))).status).toBe(204);
  for (const seconds of [-290, 290])
    expect((await handle(message({ sentAt: new Date(Date.now() + seconds * 1000) }))).status).toBe(204);
  expect(got).toHaveLength(3);
});

test.each<[string, Changes]>([
  ["another body", { body: `${JSON.stringify(event)} ` }],
  ["another id", { headers: { "webhook-id": "another" } }],
  ["another time", { headers: { "webhook-timestamp": String(Math.floor(Date.now() / 1000) - 1) } }],
  ["no time", { headers: { "webhook-timestamp": "" } }],
  ["a time that is no number", { headers: { "webhook-timestamp": "now" } }],
  ["a signature of another version", { headers: { "webhook-signature": "v1a,AAAA" } }],
  ["no signature", { headers: { "webhook-signature": "" } }],
  ["a message that is too old", { sentAt: new Date(Date.now() - 310_000) }],
  ["a message from the future", { sentAt: new Date(Date.now() + 310_000) }],
])("refuses %s", async (_, changes) => {
  const { handle, got } = receiver();
  const response = await handle(message(changes));
  expect([response.status, (await response.json()).code]).toEqual([400, "invalid_signature"]);
  expect(got).toEqual([]);
});

test("refuses what another secret has signed, and other methods", async () => {
  const { handle } = receiver(`whsec_${btoa("another secret of 24 byte")}`);
  expect((await handle(message())).status).toBe(400);
  expect((await handle(message({ method: "GET" }))).status).toBe(405);
});

test("is a 500 if onEvent throws, so that the platform sends the event again", async () => {
  const { handle, errors } = receiver(secret, () => Promise.reject(new Error("full")));
  const response = await handle(message());
  expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining("full")]);
  expect(errors).toEqual([new Error("full")]);
});

test.each(["", "whsec_", "whsec_!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])(
  "reports the secret %j at once",
  async (given) => {
    const { handle, errors } = receiver(given);
    expect(errors).toMatchObject([{ message: expect.stringContaining("secret is missing") }]);
    expect((await handle(message())).status).toBe(502);
  },
);

test("types the events that the platform has", () => {
  expectTypeOf<Exclude<PlatformEvent["type"], "webhook.test">>().toEqualTypeOf<EventType>();
  const keyOf = (happened: PlatformEvent) => {
    if (happened.type !== "file.moved") return null;
    expectTypeOf(happened).toEqualTypeOf<FileEvent>();
    return happened.subject.key;
  };
  expect(keyOf({ ...event, type: "file.moved" } as FileEvent)).toBe(event.subject.key);
});
