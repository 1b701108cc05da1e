import { expect, it } from "vitest";
import { readEvent } from "./ses-event.server";

const bounce = (bounceType: string, ...addresses: string[]) => ({
  bounceType,
  bounceSubType: "General",
  bouncedRecipients: addresses.map((emailAddress) => ({ emailAddress, status: "5.1.1" })),
});
const complaint = (complaintFeedbackType?: string) => ({
  complainedRecipients: [{ emailAddress: "Ada <Ada@Example.com>" }],
  complaintFeedbackType,
});
const read = (event: unknown) => readEvent(JSON.stringify(event));

it.each(["notificationType", "eventType"])("suppresses permanent bounces and complaints, by %s", (type) => {
  expect(
    read({ [type]: "Bounce", bounce: bounce("Permanent", "a@example.com", "b@Example.com"), mail: {} }),
  ).toEqual({
    kind: "bounce_permanent",
    reason: "bounce",
    addresses: ["a@example.com", "b@example.com"],
    unreadable: 0,
  });
  for (const feedback of [undefined, "abuse"])
    expect(read({ [type]: "Complaint", complaint: complaint(feedback) })).toEqual({
      kind: "complaint",
      reason: "complaint",
      addresses: ["Ada@example.com"],
      unreadable: 0,
    });
});

it.each<[string, object | string]>([
  ["bounce_transient", { eventType: "Bounce", bounce: bounce("Transient", "a@example.com") }],
  ["bounce_undetermined", { eventType: "Bounce", bounce: bounce("Undetermined", "a@example.com") }],
  ["not_spam", { eventType: "Complaint", complaint: complaint("not-spam") }],
  ["delivery", { eventType: "Delivery", delivery: { recipients: ["a@example.com"] } }],
  ["delivery_delay", { eventType: "DeliveryDelay" }],
  ["rendering_failure", { eventType: "Rendering Failure" }],
  ["other", { eventType: "constructor" }],
  ["other", { eventType: "Bounce" }],
  ["other", { eventType: "Bounce", bounce: { bounceType: "Permanent" } }],
  ["other", { eventType: 1, bounce: bounce("Permanent", "a@example.com") }],
  ["other", "Successfully validated SNS topic for Amazon SES event publishing."],
  ["other", "null"],
  ["other", ""],
])("counts %s, and does no more: %j", (kind, event) => {
  expect(typeof event === "string" ? readEvent(event) : read(event)).toEqual({
    kind,
    reason: null,
    addresses: [],
    unreadable: 0,
  });
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
