import { expect, it } from "vitest";
import { readNotification } from "./ses-notifications.server";

const bounce = (bounceType: string, ...addresses: string[]) => ({
  bounceType,
  bounceSubType: "General",
  bouncedRecipients: addresses.map((emailAddress) => ({ emailAddress, status: "5.1.1" })),
});
const complaint = (complaintFeedbackType?: string) => ({
  complainedRecipients: [{ emailAddress: "Ada <Ada@Example.com>" }],
  complaintFeedbackType,
});
const read = (notification: unknown) => readNotification(JSON.stringify(notification));

it.each(["notificationType", "eventType"])("suppresses permanent bounces and complaints, by %s", (type) => {
  expect(
    read({ [type]: "Bounce", bounce: bounce("Permanent", "a@example.com", "b@Example.com"), mail: {} }),
  ).toEqual({
    kind: "bounce_permanent",
    reason: "bounce",
    addresses: ["a@example.com", "b@example.com"],
    unreadable: 0,
    event: undefined,
  });
  for (const feedback of [undefined, "abuse"])
    expect(read({ [type]: "Complaint", complaint: complaint(feedback) })).toEqual({
      kind: "complaint",
      reason: "complaint",
      addresses: ["Ada@example.com"],
      unreadable: 0,
      event: undefined,
    });
});

it("reads an address in quotes as the one it was sent to", () => {
  const notification = { eventType: "Bounce", bounce: bounce("Permanent", '"taro..y."@docomo.example') };
  expect(read(notification)).toMatchObject({ addresses: ["taro..y.@docomo.example"], unreadable: 0 });
});

it.each<[string, object | string]>([
  ["not_spam", { eventType: "Complaint", complaint: complaint("not-spam") }],
  ["delivery", { eventType: "Delivery" }],
  ["delivery", { eventType: "Delivery", delivery: { recipients: "a@example.com" } }],
  ["delivery_delay", { eventType: "DeliveryDelay" }],
  ["rendering_failure", { eventType: "Rendering Failure" }],
  ["other", { eventType: "constructor" }],
  ["other", { eventType: "Bounce" }],
  ["other", { eventType: "Bounce", bounce: { bounceType: "Permanent" } }],
  ["other", { eventType: 1, bounce: bounce("Permanent", "a@example.com") }],
  ["other", "Successfully validated SNS topic for Amazon SES event publishing."],
  ["other", "null"],
  ["other", ""],
])("counts %s, and does no more: %j", (kind, message) => {
  expect(typeof message === "string" ? readNotification(message) : read(message)).toEqual({
    kind,
    reason: null,
    addresses: [],
    unreadable: 0,
    event: undefined,
  });
});

const timestamp = "2026-11-24T10:00:00.123Z";
const messageId = "0100018c-message";
const sent = "0193a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b";
const mail = { messageId, tags: { campaign: ["spring"], "platform-embed-event": [sent] } };

it.each([
  ["bounce_permanent", "bounce", "email.bounced", { bounceType: "permanent" }, "Bounce", bounce("Permanent")],
  ["bounce_transient", null, "email.bounced", { bounceType: "transient" }, "Bounce", bounce("Transient")],
  [
    "bounce_undetermined",
    null,
    "email.bounced",
    { bounceType: "undetermined" },
    "Bounce",
    bounce("constructor"),
  ],
  ["complaint", "complaint", "email.complained", {}, "Complaint", complaint()],
  ["delivery", null, "email.delivered", {}, "Delivery", { recipients: ["a@example.com"] }],
])("records %s", (kind, reason, type, data, eventType, what) => {
  const notification = { eventType, [eventType.toLowerCase()]: { ...what, timestamp }, mail };
  expect(read(notification)).toMatchObject({
    kind,
    reason,
    event: { type, time: new Date(timestamp), messageId, sentEventId: sent, data: { ...data, messageId } },
  });
});

it.each([
  ["no tags", { mail: { messageId } }, { messageId, sentEventId: undefined }],
  [
    "a tag that is not ours",
    { mail: { ...mail, tags: { "platform-embed-event": ["x"] } } },
    { sentEventId: undefined },
  ],
  ["no message", { mail: undefined }, undefined],
  ["no time", { bounce: bounce("Permanent", "a@example.com") }, undefined],
  [
    "a time that is none",
    { bounce: { ...bounce("Permanent", "a@example.com"), timestamp: "soon" } },
    undefined,
  ],
])("suppresses the address of a bounce with %s, all the same", (_, changes, expected) => {
  const whole = { eventType: "Bounce", bounce: { ...bounce("Permanent", "a@example.com"), timestamp }, mail };
  const { event, ...rest } = read({ ...whole, ...changes });
  expect(rest).toMatchObject({ reason: "bounce", addresses: ["a@example.com"] });
  if (expected === undefined) expect(event).toBeUndefined();
  else expect(event).toMatchObject(expected);
});

it("says how many addresses could not be read, and takes the others", () => {
  const long = `${"a".repeat(2_000)}@example.com`;
  expect(
    read({ eventType: "Bounce", bounce: bounce("Permanent", "nobody", long, "a@example.com") }),
  ).toMatchObject({
    addresses: ["a@example.com"],
    unreadable: 2,
  });
});
