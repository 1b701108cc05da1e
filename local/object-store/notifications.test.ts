import {
  type Event,
  GetBucketNotificationConfigurationCommand,
  type NotificationConfiguration,
  PutBucketNotificationConfigurationCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BUCKET as Bucket, startStoreForTests } from "../../tests/support/files/object-store";

let store: Awaited<ReturnType<typeof startStoreForTests>>;
beforeAll(async () => {
  store = await startStoreForTests();
});
afterAll(() => store?.close());

const put = (notifications: NotificationConfiguration) =>
  store.client.send(
    new PutBucketNotificationConfigurationCommand({ Bucket, NotificationConfiguration: notifications }),
  );
async function get() {
  const { $metadata, ...found } = await store.client.send(
    new GetBucketNotificationConfigurationCommand({ Bucket }),
  );
  return found;
}
const topic = (Id: string, Events: Event[], filter: { prefix?: string; suffix?: string } = {}) => ({
  Id,
  TopicArn: "arn:aws:sns:ca-central-1:123456789012:a-topic",
  Events,
  Filter: {
    Key: { FilterRules: Object.entries(filter).map(([Name, Value]) => ({ Name: Name as "prefix", Value })) },
  },
});

it("notifications are replaced as a whole, and an empty document removes them", async () => {
  expect(await get()).toEqual({});
  const all = {
    TopicConfigurations: [topic("a", ["s3:ObjectCreated:*"], { prefix: "a/" })],
    QueueConfigurations: [
      {
        Id: "b",
        QueueArn: "arn:aws:sqs:ca-central-1:123456789012:q",
        Events: ["s3:ObjectRemoved:*" as const],
      },
    ],
    EventBridgeConfiguration: {},
  };
  await put(all);
  expect(await get()).toEqual(all);
  await put({});
  expect(await get()).toEqual({});
});

it.each<[string, NotificationConfiguration, RegExp]>([
  [
    "an event twice, under a wildcard",
    { TopicConfigurations: [topic("a", ["s3:ObjectCreated:*"]), topic("b", ["s3:ObjectCreated:Put"])] },
    /overlap/,
  ],
  [
    "an event twice, below a part of the prefix",
    {
      TopicConfigurations: [
        topic("a", ["s3:ObjectCreated:Put"], { prefix: "a/" }),
        topic("b", ["s3:ObjectCreated:Put"], { prefix: "a/b/" }),
      ],
    },
    /overlap/,
  ],
  [
    "one id twice",
    { TopicConfigurations: [topic("a", ["s3:ObjectCreated:*"]), topic("a", ["s3:ObjectRemoved:*"])] },
    /unique/,
  ],
  ["an unknown event", { TopicConfigurations: [topic("a", ["s3:ObjectEaten:*" as Event])] }, /not supported/],
  [
    "a destination that is no ARN",
    { TopicConfigurations: [{ ...topic("a", ["s3:ObjectCreated:*"]), TopicArn: "a-topic" }] },
    /ARN/,
  ],
])("refuses %s", async (_, notifications, message) => {
  await expect(put(notifications)).rejects.toMatchObject({
    name: "InvalidArgument",
    message: expect.stringMatching(message),
  });
  expect(await get()).toEqual({});
});

it("accepts one event for different files", async () => {
  const notifications = {
    TopicConfigurations: [
      topic("a", ["s3:ObjectCreated:Put"], { prefix: "a/", suffix: ".pdf" }),
      topic("b", ["s3:ObjectCreated:Put"], { prefix: "a/", suffix: ".jpg" }),
      topic("c", ["s3:ObjectCreated:Put"], { prefix: "b/" }),
    ],
  };
  await put(notifications);
  expect(await get()).toEqual(notifications);
});
