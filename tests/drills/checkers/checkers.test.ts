import { describe, expect, it } from "vitest";
import type { History, Timed } from "../drill";
import { type CampaignFound, type CampaignOperation, checkCampaign } from "./campaign";
import { type ChangeOperation, checkChanges, type DeletionFound, type MoveFound } from "./changes";
import { checkDatabases, type DatabaseOperation, type DatabasesFound } from "./databases";
import { checkDeliveries, type DeliveriesFound, type DeliveryOperation } from "./deliveries";
import { checkEvents, type EventsFound } from "./events";
import { checkHistory, type HistoryFound } from "./history";
import { checkTransfers, type TransferOperation, type TransfersFound } from "./transfers";
import { checkWebhooks, type WebhookOperation, type WebhooksFound } from "./webhooks";

/** A history of operations, one a millisecond. */
const history = <Operation, Found>(operations: Operation[], found: Found): History<Operation, Found> => ({
  title: "a test",
  operations: operations.map((operation, at): Timed<Operation> => ({ at, ...operation })),
  found,
});

describe("deliveries", () => {
  const found: DeliveriesFound = { recipients: ["ada", "bob"], wantedKills: 1, sent: ["ada", "bob"] };
  const accept = (to: string): DeliveryOperation => ({ what: "accepted by the provider", to });
  const kill = (...recipients: string[]): DeliveryOperation[] => [
    { what: "app killed" },
    { what: "claimed after a kill", recipients },
  ];
  const failures = (operations: DeliveryOperation[], changes: Partial<DeliveriesFound> = {}) =>
    checkDeliveries(history(operations, { ...found, ...changes })).failures;

  it("passes if everyone gets the e-mail once", () => {
    expect(failures([accept("ada"), ...kill(), accept("bob")])).toEqual([]);
  });

  it("catches a lost e-mail, and one that is not recorded", () => {
    expect(failures([accept("ada"), ...kill()])).toEqual(["1 are lost, such as bob"]);
    expect(failures([accept("ada"), accept("bob"), ...kill()], { sent: ["ada"] })).toEqual([
      "1 are not recorded as sent, such as bob",
    ]);
  });

  it("allows a doubled e-mail only if a kill fell between its acceptance and our record of it", () => {
    const doubled = ["1 arrived more often than a kill explains, such as ada"];
    expect(failures([accept("ada"), ...kill("ada"), accept("ada"), accept("bob")])).toEqual([]);
    expect(failures([accept("ada"), ...kill("bob"), accept("ada"), accept("bob")])).toEqual(doubled);
    expect(failures([...kill("ada"), accept("ada"), accept("ada"), accept("bob")])).toEqual(doubled);
    expect(failures([accept("ada"), ...kill("ada"), accept("ada"), accept("ada"), accept("bob")])).toEqual(
      doubled,
    );
  });

  it("catches an e-mail to a stranger, and a drill that killed too rarely", () => {
    expect(failures([accept("ada"), accept("bob"), accept("eve"), ...kill()])).toEqual([
      "1 went to others, such as eve",
    ]);
    expect(failures([accept("ada"), accept("bob")])).toEqual(["the app was killed 0 times instead of 1"]);
  });
});

describe("campaign", () => {
  const found: CampaignFound = {
    recipients: ["ada", "bob"],
    published: { code: 0, stderr: "", seconds: 1 },
    sent: 2,
    seconds: 2,
  };
  const to = (what: "accepted" | "failed", name: string): CampaignOperation => ({ what, to: name });
  const failures = (operations: CampaignOperation[], changes: Partial<CampaignFound> = {}) =>
    checkCampaign(history(operations, { ...found, ...changes })).failures;
  const good = [to("failed", "ada"), to("accepted", "ada"), to("accepted", "bob")];

  it("passes if everything arrives once", () => {
    expect(failures(good)).toEqual([]);
  });

  it("catches what is lost, doubled or given up, and a wrong status", () => {
    expect(failures([to("accepted", "ada"), to("failed", "bob")])).toEqual(["1 did not arrive, such as bob"]);
    expect(failures([...good, to("accepted", "bob")])).toEqual(["1 arrived more than once, such as bob"]);
    expect(failures([...good, { what: "given up", line: "job 7" }])).toEqual([
      "1 were given up by the queue, such as job 7",
    ]);
    expect(failures(good, { sent: 1 })).toEqual(["status says that 1 were sent"]);
  });
});

describe("changes", () => {
  const before = { "a.txt": "1", "b.txt": "2" };
  const common = {
    before,
    neighbours: { before: { "n.txt": "3" }, after: { "n.txt": "3" } },
    seconds: 1,
    maxSeconds: 10,
    wantedKills: 1,
  };
  const kill: ChangeOperation = { what: "app killed", changes: 1 };
  const seen = (from: object, to: object): ChangeOperation => ({
    what: "seen while the app is down",
    folders: { from: { ...from }, to: { ...to } },
  });
  const moved = (operations: ChangeOperation[], changes: Partial<MoveFound> = {}) =>
    checkChanges(history(operations, { ...common, folders: { from: {}, to: before }, ...changes })).failures;
  const deleted = (changes: Partial<DeletionFound>) =>
    checkChanges(history([kill], { ...common, folders: { deleted: {}, restored: before }, ...changes }))
      .failures;

  it("passes if everything is in the new place, and was in one of both after each kill", () => {
    expect(moved([kill, seen({ "b.txt": "2" }, { "a.txt": "1" })])).toEqual([]);
    expect(deleted({})).toEqual([]);
  });

  it("catches an object that is in neither place after a kill, even if it is there in the end", () => {
    expect(moved([kill, seen({}, { "a.txt": "1" })])).toEqual([
      "1 objects were in neither place after a kill, such as b.txt",
    ]);
  });

  it("catches objects that are lost, changed, extra or left behind", () => {
    const text = (name: string) => [
      `1 objects are missing, changed or extra in the new place, such as ${name}`,
    ];
    expect(moved([kill], { folders: { from: {}, to: { "a.txt": "1" } } })).toEqual(text("b.txt"));
    expect(moved([kill], { folders: { from: {}, to: { ...before, "b.txt": "9" } } })).toEqual(text("b.txt"));
    expect(moved([kill], { folders: { from: {}, to: { ...before, "c.txt": "2" } } })).toEqual(text("c.txt"));
    expect(moved([kill], { folders: { from: { "a.txt": "1" }, to: before } })).toEqual([
      "1 objects were left behind, such as a.txt",
    ]);
    expect(deleted({ folders: { deleted: { "a.txt": "1" }, restored: before } })).toHaveLength(1);
    expect(deleted({ folders: { deleted: {}, restored: {} } })).toHaveLength(1);
  });

  it("catches a touched neighbour, a reported failure and too much time", () => {
    expect(moved([kill], { neighbours: { ...common.neighbours, after: {} } })).toEqual([
      "1 neighbours were touched, such as n.txt",
    ]);
    expect(moved([kill, { what: "asked", change: "move", answer: 200, failed: ["a.txt"] }])).toHaveLength(1);
    expect(moved([kill], { seconds: 11 })).toEqual(["it took 11 s"]);
  });
});

describe("events", () => {
  const kill: ChangeOperation = { what: "app killed", changes: 1 };
  const found: EventsFound = {
    made: ["file.copied a", "file.moved b"],
    wantedChanges: 2,
    recorded: ["file.copied a", "file.moved b"],
    pending: [],
    cutOff: { count: 0, resolved: "" },
    wantedKills: 1,
  };
  const failures = (changes: Partial<EventsFound>) =>
    checkEvents(history([kill], { ...found, ...changes })).failures;

  it("passes if every change is recorded once", () => {
    expect(failures({})).toEqual([]);
  });

  it("catches a missing, an invented and a repeated event, and what is pending", () => {
    expect(failures({ recorded: ["file.copied a"] })).toEqual([
      "1 changes are not recorded, such as file.moved b",
    ]);
    expect(failures({ recorded: [...found.recorded, "file.moved c"] })).toEqual([
      "1 events are invented, such as file.moved c",
    ]);
    expect(failures({ recorded: [...found.recorded, "file.moved b"] })).toEqual([
      "1 changes are recorded more than once, such as file.moved b",
    ]);
    expect(failures({ pending: ["file.moved b"] })).toHaveLength(1);
  });

  it("catches a store that shows too few changes", () => {
    expect(failures({ wantedChanges: 3 })).toEqual(["the store shows 2 changes instead of 3"]);
  });
});

describe("history", () => {
  const kill: ChangeOperation = { what: "app killed", changes: 1 };
  const found: HistoryFound = {
    expected: { "a.txt": ["new", "old"], "b.txt": [] },
    versions: { "a.txt": ["new", "old"] },
    deleteMarkers: [],
    made: ["file.restored a.txt"],
    recorded: ["file.restored a.txt"],
    pending: [],
    cutOff: { count: 0, resolved: "" },
    wantedKills: 1,
  };
  const failures = (changes: Partial<HistoryFound>) =>
    checkHistory(history([kill], { ...found, ...changes })).failures;

  it("passes if every file has its versions", () => {
    expect(failures({})).toEqual([]);
  });

  it.each([
    ["a lost version", { "a.txt": ["new"] }],
    ["a version too many", { "a.txt": ["new", "new", "old"] }],
    ["other bytes", { "a.txt": ["new", "bad"] }],
    ["a purged file", { "a.txt": ["new", "old"], "b.txt": ["back"] }],
    ["an unknown file", { "a.txt": ["new", "old"], "c.txt": ["new"] }],
  ])("catches %s", (_, versions) => {
    expect(failures({ versions: versions as Record<string, string[]> })).toHaveLength(1);
  });

  it("catches a delete marker that is left", () => {
    expect(failures({ deleteMarkers: ["b.txt"] })).toEqual(["1 delete markers are left, such as b.txt"]);
  });
});

describe("databases", () => {
  const operations: DatabaseOperation[] = [
    { what: "database created", name: "gone" },
    { what: "neighbour created", name: "kept" },
    { what: "database deleted", name: "gone" },
    { what: "cleanup killed", when: "after", statement: "DROP DATABASE gone" },
    { what: "cleanup ended", code: 0 },
  ];
  const found: DatabasesFound = {
    databases: ["kept"],
    roles: ["kept_owner"],
    credentialsOf: ["kept"],
    unfinished: [],
    wantedKills: 1,
  };
  const failures = (changes: Partial<DatabasesFound>) =>
    checkDatabases(history(operations, { ...found, ...changes })).failures;

  it("passes if only what was deleted is gone", () => {
    expect(failures({})).toEqual([]);
  });

  it("catches a database or a role that is left", () => {
    expect(failures({ databases: ["kept", "gone"] })).toEqual(["1 databases are left, such as gone"]);
    expect(failures({ roles: ["kept_owner", "gone_owner"] })).toEqual([
      "1 dropped databases have a role left, such as gone",
    ]);
  });

  it("catches a neighbour that has lost its database, its role or its credential", () => {
    expect(failures({ databases: [] })).toEqual(["1 databases of others were dropped, such as kept"]);
    expect(failures({ roles: [] })).toHaveLength(1);
    expect(failures({ credentialsOf: [] })).toHaveLength(1);
  });

  it("catches a record that does not end, and too few kills", () => {
    expect(failures({ unfinished: ["gone"] })).toHaveLength(1);
    expect(failures({ wantedKills: 2 })).toHaveLength(1);
  });
});

describe("transfers", () => {
  const found: TransfersFound = {
    files: [{ name: "a.bin", size: 10, sha256: "aa" }],
    bucket: { "a.bin": "aa" },
    seconds: 1,
    receivedBytes: 15,
    tokensIssued: 4,
    shown: "1 file uploaded",
    maxBytesAgain: 5,
    minTokens: 4,
  };
  const put: TransferOperation = { what: "PUT", file: "a.bin", part: null, attempt: 1, fault: "busy" };
  const failures = (changes: Partial<TransfersFound>) =>
    checkTransfers(history([put], { ...found, ...changes })).failures;

  it("passes if every file arrives unchanged", () => {
    expect(failures({})).toEqual([]);
  });

  it("catches a file that is lost, changed or uploaded twice", () => {
    expect(failures({ bucket: {} })).toHaveLength(1);
    expect(failures({ bucket: { "a.bin": "ab" } })).toHaveLength(1);
    expect(failures({ bucket: { "a.bin": "aa", "a (1).bin": "aa" } })).toEqual([
      "1 objects are in the bucket that nobody uploaded, such as a (1).bin",
    ]);
  });

  it("catches too many bytes that were sent again, and tokens that did not expire", () => {
    expect(failures({ receivedBytes: 16 })).toEqual(["6 bytes were sent again"]);
    expect(failures({ tokensIssued: 3 })).toHaveLength(1);
  });
});

describe("webhooks", () => {
  const found: WebhooksFound = {
    events: { steady: 2, flaky: 0, away: 0, hanging: 0, gone: 0 },
    eventsOfAFile: 5,
    pending: 0,
    replayed: 0,
    seconds: 1,
    wantedKills: 0,
  };
  const got = (event: string, status = 204, body = event): WebhookOperation => ({
    what: "received",
    by: "steady",
    event,
    body,
    status,
  });
  const failures = (operations: WebhookOperation[], changes: Partial<WebhooksFound> = {}) =>
    checkWebhooks(history(operations, { ...found, ...changes })).failures;
  const [first, second] = ["0.pdf 0", "0.pdf 1"];

  it("passes if everything arrives in order, be it twice", () => {
    expect(failures([got(first, 500), got(first), got(second), got(second)])).toEqual([]);
  });

  it("catches an event that is lost, changed or of another receiver", () => {
    expect(failures([got(first)])).toEqual([
      "1 did not arrive at the receiver that is steady, such as 0.pdf 1",
    ]);
    expect(failures([got(first), got(second, 500, "a"), got(second, 204, "b")])).toEqual([
      "1 were repeated with another body to the receiver that is steady, such as 0.pdf 1",
    ]);
    expect(failures([got(first), got(second), got("unknown")])).toEqual([
      "1 are not of the receiver that is steady, such as unknown",
    ]);
  });

  it("catches an event that overtakes an earlier one of its file, unless that one has failed five times", () => {
    expect(failures([got(second), got(first)])).toEqual([
      "1 arrived too early at the receiver that is steady, such as 0.pdf 1",
    ]);
    const failed = (times: number) => Array.from({ length: times }, () => got(first, 500));
    expect(failures([...failed(4), got(second), got(first)])).toHaveLength(1);
    expect(failures([...failed(5), got(second), got(first)])).toEqual([]);
  });

  it("catches what is pending, and too few kills", () => {
    expect(failures([got(first), got(second)], { pending: 1 })).toEqual(["1 are still pending"]);
    expect(failures([got(first), got(second)], { wantedKills: 1 })).toHaveLength(1);
  });
});
