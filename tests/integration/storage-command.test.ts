/** `npm run storage`, which writes the settings of a bucket one by one, and checks them. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { storage } from "../../app/commands/storage";
import type { Finding } from "../../embed-element/doctor/report";
import { addClient, deploymentEnv, makeDatabase, ORIGIN } from "../support/app/deployment";
import { runHere } from "../support/app/run-command";
import { makeBucket } from "../support/files/bucket";
import { rulesOf } from "../support/files/bucket-rules";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";

const stack = inject("stack");
const database = await makeDatabase(stack);
let name: string;
let rules: ReturnType<typeof rulesOf>;
beforeEach(async () => {
  rules?.close();
  ({ name } = await makeBucket(stack));
  rules = rulesOf(stack.objectStore, name);
  await addClient(database, [name], [ORIGIN]);
});

const TOPIC = "arn:aws:sns:ca-central-1:123456789012:storage-events";
const run = (...words: string[]) => runWith({ STORAGE_EVENTS_TOPICS: TOPIC }, ...words);
const runWith = (settings: Record<string, string>, ...words: string[]) =>
  runHere("storage", storage, [...words, "--bucket", name], {
    ...deploymentEnv(stack, database),
    ...settings,
  });

const theirs = {
  ID: "logs",
  Status: "Enabled" as const,
  Filter: { Prefix: "logs/" },
  Expiration: { Days: 30 },
};
const uploads = expect.objectContaining({ ID: "platform-embed-abort-uploads" });
const versions = (NoncurrentDays: number) => ({
  ID: "platform-embed-old-versions",
  Status: "Enabled",
  Filter: { Prefix: "" },
  Expiration: { ExpiredObjectDeleteMarker: true },
  NoncurrentVersionExpiration: { NoncurrentDays },
});

describe("storage versioning", () => {
  it("keeps versions for 90 days, changes the days, and keeps other rules", async () => {
    await rules.set({ lifecycle: [theirs] });
    const { code, stdout, stderr } = await run("versioning");
    expect([code, stderr]).toEqual([
      0,
      `${name}: lifecycle rules written; other rules kept: 1.\n${name}: versioning written.\n`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ versioning: { Status: "Enabled" } });
    expect((await rules.read()).lifecycle).toEqual([theirs, uploads, versions(90)]);
    expect(await rules.versioning()).toBe("Enabled");
    await run("versioning", "--keep-days", "30");
    expect((await rules.read()).lifecycle).toEqual([theirs, uploads, versions(30)]);
    expect((await run("versioning", "--keep-days", "30")).stderr).toMatch(/up to date[\s\S]*up to date/);
    expect((await rules.read()).cors).toBeNull();
  });

  it("writes nothing with --dry-run, and refuses days that are none", async () => {
    const { code, stderr } = await run("versioning", "--dry-run");
    expect([code, stderr]).toEqual([0, expect.stringContaining("versioning not written")]);
    expect([await rules.versioning(), (await rules.read()).lifecycle]).toEqual([undefined, null]);
    for (const days of ["0", "-1", "1.5", "soon"])
      expect((await run("versioning", `--keep-days=${days}`)).stderr).toContain(
        "a whole number from 1 to 36500",
      );
  });
});

it("storage cors and storage lifecycle write one setting each", async () => {
  expect((await run("cors")).code).toBe(0);
  expect(await rules.read()).toEqual({
    cors: [expect.objectContaining({ AllowedOrigins: [stack.platformBaseUrl, ORIGIN] })],
    lifecycle: null,
  });
  await run("versioning");
  expect((await run("lifecycle")).stderr).toContain("up to date; other rules kept: 1.");
  expect((await rules.read()).lifecycle).toEqual([uploads, versions(90)]);
});

describe("storage events", () => {
  const ours = {
    Id: "platform-embed",
    TopicArn: TOPIC,
    Events: ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"],
  } as const;
  const queue = "arn:aws:sqs:ca-central-1:123456789012:thumbnails";

  it("lets the bucket publish to the topic, and keeps what others have set", async () => {
    const others = {
      QueueConfigurations: [{ Id: "tags", QueueArn: queue, Events: ["s3:ObjectTagging:*" as const] }],
      EventBridgeConfiguration: {},
    };
    await rules.setNotifications(others);
    const { code, stdout, stderr } = await run("events");
    expect([code, stderr]).toEqual([
      0,
      `${name}: notifications written; the topic must deliver to ${stack.apiBaseUrl}/api/storage/events.\n`,
    ]);
    expect(JSON.parse(stdout)).toEqual({ notifications: { ...others, TopicConfigurations: [ours] } });
    expect(await rules.notifications()).toEqual({ ...others, TopicConfigurations: [ours] });
    expect((await run("events")).stderr).toContain("notifications up to date");
    const moved = `${TOPIC}-2`;
    await runWith({ STORAGE_EVENTS_TOPICS: moved }, "events");
    expect((await rules.notifications()).TopicConfigurations).toEqual([{ ...ours, TopicArn: moved }]);
  });

  it("changes nothing with --dry-run, or if somebody has set it up by hand", async () => {
    const { code, stdout, stderr } = await run("events", "--dry-run");
    expect([code, stderr]).toEqual([0, expect.stringContaining("notifications not written")]);
    expect(JSON.parse(stdout)).toEqual({ notifications: { TopicConfigurations: [ours] } });
    expect(await rules.notifications()).toEqual({});
    const byHand = { TopicConfigurations: [{ ...ours, Id: "by-hand", Events: [...ours.Events] }] };
    await rules.setNotifications(byHand);
    const settings = { STORAGE_EVENTS_TOPICS: `${TOPIC}-2,${TOPIC}` };
    expect((await runWith(settings, "events")).stderr).toContain("notifications up to date");
    expect(await rules.notifications()).toEqual(byHand);
  });

  it("names the destination that gets the events already, and writes nothing", async () => {
    const theirs = {
      QueueConfigurations: [{ Id: "new", QueueArn: queue, Events: ["s3:ObjectCreated:Put" as const] }],
    };
    await rules.setNotifications(theirs);
    for (const words of [["events"], ["events", "--dry-run"]]) {
      const { code, stderr } = await run(...words);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(`They go to ${queue} already.*one\\s+destination`),
      ]);
    }
    expect(await rules.notifications()).toEqual(theirs);
  });

  it("needs a topic whose messages the service accepts", async () => {
    const { code, stderr } = await runWith({}, "events");
    expect([code, stderr]).toEqual([1, expect.stringContaining("Set STORAGE_EVENTS_TOPICS")]);
  });

  describe("on another store", () => {
    let faulty: FaultyStore;
    beforeAll(async () => {
      faulty = await startFaultyStore(stack);
    });
    afterAll(() => faulty?.close());

    it.each([
      ["that has no notifications", 501, "NotImplemented", "GET", /does not publish to topics of Amazon SNS/],
      [
        "that refuses the topic",
        400,
        "InvalidArgument",
        "PUT",
        /Look whether the topic .*storage-events exists/,
      ],
      ["whose key may not", 403, "AccessDenied", "GET", /s3:GetBucketNotification/],
    ])("%s, says so", async (_, status, code, method, message) => {
      ({ name } = await makeBucket(faulty.stack));
      faulty.intercept = (request) =>
        request.query.has("notification") && request.method === method
          ? { error: { status, code } }
          : undefined;
      const { endpoint } = faulty.stack.objectStore;
      const settings = { STORAGE_EVENTS_TOPICS: TOPIC, CLOUD_S3_ENDPOINT: endpoint };
      const ended = await runWith(settings, "events");
      expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(message)]);
      // Programs that read the rules get them all the same, to enter them by hand.
      expect(JSON.parse(ended.stdout).notifications.TopicConfigurations).toHaveLength(1);
    });
  });
});

describe("storage check", () => {
  const check = async (...words: string[]) => {
    const { code, stdout } = await run("check", "--json", ...words);
    const findings: Finding[] = JSON.parse(stdout);
    return { code, status: Object.fromEntries(findings.map((each) => [each.check, each.status])), findings };
  };

  it("names each command that is missing, and then that nothing is", async () => {
    await addClient(database, [name], [ORIGIN], { actions: ["history"] });
    const before = await check();
    expect(before.code).toBe(1);
    expect(
      before.findings.map((each) => [each.check, each.status, each.remedy?.split(" --bucket")[0]]),
    ).toEqual([
      ["store.cors", "error", "npm run storage -- cors"],
      ["store.lifecycle", "error", "npm run storage -- lifecycle"],
      ["store.versioning", "error", "npm run storage -- versioning"],
      ["store.events", "error", "npm run storage -- events"],
      ["store.unsigned_headers", "ok", undefined],
    ]);
    expect(await rules.read()).toEqual({ cors: null, lifecycle: null });
    for (const command of ["cors", "lifecycle", "versioning", "events"]) await run(command);
    expect(await check()).toMatchObject({
      code: 0,
      status: {
        "store.cors": "ok",
        "store.lifecycle": "ok",
        "store.versioning": "ok",
        "store.versions": "ok",
        "store.events": "ok",
        "store.unsigned_headers": "ok",
      },
    });
    const { stdout } = await run("check");
    expect(stdout).toContain("older versions are kept for 90 days");
    expect(stdout).toContain("6 ok, 0 errors, 0 warnings.");
  });

  it("says that versioning is suspended, and that versions are kept without end", async () => {
    await addClient(database, [name], [ORIGIN], { actions: ["history"] });
    await rules.setVersioning("Enabled");
    expect((await check()).status).toMatchObject({ "store.versioning": "ok", "store.versions": "error" });
    await rules.setVersioning("Suspended");
    const { findings } = await check();
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "store.versioning", message: expect.stringContaining("suspended") }),
    );
    // A rule for a part of the bucket, or for objects with a tag, leaves the others.
    const noncurrent = { NoncurrentVersionExpiration: { NoncurrentDays: 9 } };
    const tagged = { Filter: { Tag: { Key: "a", Value: "b" } }, Status: "Enabled" as const, ...noncurrent };
    await rules.set({
      lifecycle: [
        { ...theirs, ...noncurrent },
        { ID: "tagged", ...tagged },
      ],
    });
    expect((await check()).status).toMatchObject({ "store.versions": "error" });
  });

  it("misses nothing that no visitor and no setting needs", async () => {
    for (const command of ["cors", "lifecycle"]) await run(command);
    const { code, stdout } = await runWith({}, "check");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/versioning is off, and no visitor[\s\S]*not used/),
    ]);
  });
});

it("storage says what to do about a bucket that is missing, once", async () => {
  name = "no-such-bucket";
  const { code, stderr } = await run("versioning");
  expect([code, stderr.match(/NoSuchBucket/g)]).toEqual([1, ["NoSuchBucket"]]);
});
