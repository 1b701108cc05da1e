import { describe, expect, it } from "vitest";
import type { History, Timed } from "../drill";
import { type CampaignFound, type CampaignOperation, checkCampaign } from "./campaign";
import { type CatalogueFound, type CatalogueOperation, checkCatalogue } from "./catalogue";
import { type ChangeOperation, checkChanges, type DeletionFound, type MoveFound } from "./changes";
import { type CredentialOperation, type CredentialsFound, checkCredentials } from "./credentials";
import { checkDatabases, type DatabaseOperation, type DatabasesFound } from "./databases";
import { checkDeliveries, type DeliveriesFound, type DeliveryOperation } from "./deliveries";
import { checkEvents, type EventsFound } from "./events";
import { checkHistory, type HistoryFound } from "./history";
import { checkMarkdown, type MarkdownFound } from "./markdown";
import { checkPairs, type PairsFound, type Round } from "./pairs";
import { checkProcess, type ProcessFound } from "./process";
import { checkProviders, type ProvidersFound } from "./providers";
import { checkReplicas, type ReplicasFound } from "./replicas";
import { checkSpam, type SpamFound } from "./spam";
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
  const to = (what: "accepted" | "failed" | "refused for the rate", name: string): CampaignOperation => ({
    what,
    to: name,
  });
  const failures = (operations: CampaignOperation[], changes: Partial<CampaignFound> = {}) =>
    checkCampaign(history(operations, { ...found, ...changes })).failures;
  const faults = [to("failed", "ada"), to("refused for the rate", "bob")];
  const good = [...faults, to("accepted", "ada"), to("accepted", "bob")];

  it("passes if everything arrives once", () => {
    expect(failures(good)).toEqual([]);
  });

  it("catches what is lost, doubled or given up, and a wrong status", () => {
    expect(failures([...faults, to("accepted", "ada")])).toEqual(["1 did not arrive, such as bob"]);
    expect(failures([...good, to("accepted", "bob")])).toEqual(["1 arrived more than once, such as bob"]);
    expect(failures([...good, { what: "given up", line: "job 7" }])).toEqual([
      "1 were given up by the queue, such as job 7",
    ]);
    expect(failures(good, { sent: 1 })).toEqual(["status says that 1 were sent"]);
  });

  it("catches a provider that never fails or throttles", () => {
    expect(failures(good.filter(({ what }) => what === "accepted"))).toEqual([
      "the provider never failed",
      "the provider never refused for the rate",
    ]);
  });
});

describe("credentials", () => {
  const found: CredentialsFound = {
    renewals: 20,
    wantedRenewals: 20,
    wantedFaults: ["garbage"],
    seconds: 60,
    files: [{ name: "film.bin", isIntact: true }],
    recipients: ["ada"],
    accepted: ["ada"],
    logLines: 10,
    secretsInLog: 0,
    renewalsThatFailed: 0,
    warnings: ["w"],
  };
  const good: CredentialOperation[] = [
    { what: "fault of the provider", fault: "garbage" },
    { what: "opened", path: "/" },
    { what: "refused", from: "store", status: 403 },
  ];
  const failures = (operations: CredentialOperation[], changes: Partial<CredentialsFound> = {}) =>
    checkCredentials(history(operations, { ...found, ...changes })).failures;

  it("passes if nobody notices that keys end", () => {
    expect(failures(good)).toEqual([]);
  });

  it("catches what was refused, lost, doubled or told", () => {
    expect(failures([...good, { what: "refused", from: "app", status: 503 }])).toEqual([
      "1 requests were refused by the app (its log: w), such as 503",
    ]);
    expect(failures([...good, { what: "not opened", path: "/red", error: "unavailable" }])).toEqual([
      "1 folders were not opened, such as /red: unavailable",
    ]);
    expect(failures([...good, { what: "not delivered at once", line: "got a 503" }])).toEqual([
      "1 jobs of the campaign were refused (the app's log: w), such as got a 503",
    ]);
    expect(failures(good, { files: [{ name: "film.bin", isIntact: false }] })).toEqual([
      "1 files did not arrive intact, such as film.bin",
    ]);
    expect(failures(good, { accepted: ["ada", "ada"] })).toEqual([
      "1 e-mails arrived more than once, such as ada",
    ]);
    expect(failures(good, { secretsInLog: 1 })).toEqual(["1 secrets are in the log"]);
  });

  it("catches keys that did not end, and faults that did not happen", () => {
    expect(failures(good, { renewals: 3 })).toEqual(["the keys were renewed 3 times only"]);
    expect(failures(good.slice(1))).toEqual(["1 faults never happened, such as garbage"]);
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
    expect(moved([kill, { what: "asked", change: "move", response: 200, failed: ["a.txt"] }])).toHaveLength(
      1,
    );
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
    wantedFaults: ["busy"],
    wantedKills: 0,
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

  it("catches faults that never happened, and a browser that was not killed", () => {
    expect(failures({ wantedFaults: ["busy", "lost"] })).toEqual(["1 faults never happened, such as lost"]);
    expect(failures({ wantedKills: 2 })).toEqual(["the browser was killed 0 times instead of 2"]);
  });
});

describe("webhooks", () => {
  const found: WebhooksFound = {
    events: { steady: 2, flaky: 0, away: 0, hanging: 0, gone: 0 },
    eventsOfAFile: 5,
    pending: 0,
    switchedOff: ["gone"],
    replayed: 0,
    seconds: 1,
    wantedKills: 0,
    maxRunning: 1,
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

  it("passes if everything arrives in order", () => {
    expect(failures([got(first, 500), got(first), got(second)])).toEqual([]);
  });

  it("allows as many doubled events as kills cut off", () => {
    const kill: WebhookOperation = { what: "sender killed" };
    expect(failures([got(first), kill, got(first), got(second)])).toEqual([]);
    expect(failures([got(first), kill, got(first), got(second), got(second)])).toEqual([
      "2 arrived again at the receiver that is steady; kills explain at most 1",
    ]);
  });

  it("catches a webhook that is not switched off although its receiver is gone, and another that is", () => {
    const all = [got(first), got(second)];
    expect(failures(all, { switchedOff: [] })).toEqual(["the webhooks switched off are: none"]);
    expect(failures(all, { switchedOff: ["away", "gone"] })).toEqual([
      "the webhooks switched off are: away, gone",
    ]);
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

describe("providers", () => {
  const found: ProvidersFound = {
    workedBefore: true,
    during: [{ result: false, seconds: 10 }],
    readiness: { result: 200, seconds: 1 },
    health: { result: 200, seconds: 0.1 },
    recoverySeconds: 1,
    wantedReadiness: 200,
    maxSeconds: 15,
  };
  const failures = (changes: Partial<ProvidersFound>) =>
    checkProviders(history<never, ProvidersFound>([], { ...found, ...changes })).failures;
  const succeeded = [{ result: true, seconds: 1 }];

  it("passes if requests fail in time, and work again soon", () => {
    expect(failures({})).toEqual([]);
  });

  it("catches a fault that was not there", () => {
    expect(failures({ during: succeeded })).toEqual(["every request succeeded, so the fault was not there"]);
    const unready = { during: succeeded, wantedReadiness: 503 };
    expect(failures(unready)).toEqual(["/readyz responded with 200"]);
    expect(failures({ ...unready, readiness: { result: 503, seconds: 1 } })).toEqual([]);
  });

  it.each<[string, Partial<ProvidersFound>]>([
    ["a request that did not work before", { workedBefore: false }],
    ["a late response", { during: [{ result: false, seconds: 16 }] }],
    ["a wrong readiness", { readiness: { result: 503, seconds: 1 } }],
    ["a late readiness", { readiness: { result: 200, seconds: 3 } }],
    ["an unhealthy process", { health: { result: 500, seconds: 0.1 } }],
    ["a slow recovery", { recoverySeconds: 11 }],
  ])("catches %s", (_, changes) => {
    expect(failures(changes)).toHaveLength(1);
  });
});

describe("process", () => {
  const found: ProcessFound = {
    code: 0,
    seconds: 1,
    maxSeconds: 10,
    before: { 200: 600 },
    outcomes: { 200: 16, refused: 100 },
  };
  const failures = (changes: Partial<ProcessFound>) =>
    checkProcess(history([], { ...found, ...changes })).failures;

  it("passes if every request is answered, and later connections are refused", () => {
    expect(failures({})).toEqual([]);
  });

  it.each<[string, Partial<ProcessFound>]>([
    ["a wrong exit code", { code: 1 }],
    ["a process that is killed", { code: null }],
    ["a late end", { seconds: 11 }],
    ["another status before the signal", { before: { 200: 600, 401: 1 } }],
    ["another status after the signal", { outcomes: { 200: 16, 500: 1 } }],
    ["a request that is broken off", { outcomes: { 200: 16, broken: 1 } }],
    ["a request that is never answered", { outcomes: { 200: 16, timeout: 1 } }],
    ["a signal while no request was running", { outcomes: { refused: 100 } }],
  ])("catches %s", (_, changes) => {
    expect(failures(changes)).toHaveLength(1);
  });
});

describe("replicas", () => {
  const found: ReplicasFound = {
    requests: 600,
    wrong: [],
    retried: 1,
    mostTries: 2,
    afterRevocation: [],
    perReplica: [200, 200, 200],
    judgedByProxy: [],
  };
  const verdict = (found: ReplicasFound) => checkReplicas(history<never, ReplicasFound>([], found));

  it("passes if callers notice nothing", () => {
    expect(verdict(found).failures).toEqual([]);
  });

  it.each([
    ["too few requests", { requests: 0 }],
    ["a replica without requests", { perReplica: [300, 300, 0] }],
    ["a wrong status", { wrong: [502] }],
    ["a request that went to three replicas", { mostTries: 3 }],
    ["a revoked key that works", { afterRevocation: [200] }],
    ["a request that nginx refuses", { judgedByProxy: [414] }],
  ])("catches %s", (_, changes) => {
    expect(verdict({ ...found, ...changes }).failures).toHaveLength(1);
  });

  it("calls a missing program neither a success nor a failure, except in CI", () => {
    const notDone = "nginx is not installed";
    expect(verdict({ notDone, isFailure: false })).toMatchObject({ failures: [], isSkipped: true });
    expect(verdict({ notDone, isFailure: true })).toMatchObject({ failures: [notDone], isSkipped: false });
  });
});

describe("markdown", () => {
  const found: MarkdownFound = {
    statuses: [200, 400],
    healthChecks: [{ status: 200, milliseconds: 5 }],
    afterwards: 200,
    seconds: 1,
  };
  const failures = (changes: Partial<MarkdownFound>) =>
    checkMarkdown(history<never, MarkdownFound>([], { ...found, ...changes })).failures;

  it("passes if every text is rendered or refused, and nothing waits", () => {
    expect(failures({})).toEqual([]);
  });

  it.each<[string, Partial<MarkdownFound>]>([
    ["no text", { statuses: [] }],
    ["another status", { statuses: [200, 500] }],
    ["a failed request afterwards", { afterwards: 503 }],
    ["no health check", { healthChecks: [] }],
    ["a failed health check", { healthChecks: [{ status: 0, milliseconds: 5 }] }],
    ["a slow health check", { healthChecks: [{ status: 200, milliseconds: 1_001 }] }],
  ])("catches %s", (_, changes) => {
    expect(failures(changes)).toHaveLength(1);
  });
});

describe("spam", () => {
  const failures = (...points: number[]) => {
    const emails = points.map((points) => ({ name: "a theme", points, rules: ["A_RULE"] }));
    return checkSpam(history<never, SpamFound>([], { emails })).failures;
  };

  it("passes if no e-mail gets more than a point", () => {
    expect(failures(0, 1)).toEqual([]);
  });

  it("catches an e-mail with more points, one without points, and a drill that rated none", () => {
    expect(failures(0, 1.1)).toEqual(["a theme: 1.1 points, A_RULE"]);
    expect(failures(Number.NaN)).toHaveLength(1);
    expect(failures()).toEqual(["no e-mail was rated"]);
  });
});

describe("pairs", () => {
  const told = (done: number, failed: string[] = []) => ({ done, failed, conflicts: [], renamed: [] });
  const round: Round = {
    pair: "rename, rename",
    told: [told(1), told(0, ["not_found"])],
    files: { b: "a" },
    events: ["file.moved"],
    versions: 0,
  };
  const found = { pending: [], claims: 0, seconds: 1, maxSeconds: 90, wantedRounds: 1 };
  const failures = (changed: Partial<Round>, changes: Partial<PairsFound> = {}) =>
    checkPairs(history([], { ...found, rounds: [{ ...round, ...changed }], ...changes })).failures;

  it("passes if one of the two has renamed the file", () => {
    expect(failures({})).toEqual([]);
    expect(failures({ told: [told(0), told(1)], files: { c: "a" } })).toEqual([]);
  });

  it("catches a doubled file, a wrong count, a doubled event and a lost file", () => {
    const wrong: Partial<Round>[] = [
      { files: { b: "a", c: "a" } },
      { told: [told(1), told(1)] },
      { events: ["file.moved", "file.moved"] },
      { files: {} },
    ];
    for (const one of wrong) expect(failures(one)[0]).toContain('"rename, rename" are wrong');
  });

  it("catches a folder that is split between two places, and a loser who is not told", () => {
    const pair = "rename of a folder, rename of it";
    const filesIn = (folderOf: (index: number) => string) =>
      Object.fromEntries(
        Array.from({ length: 12 }, (_, index) => [`${folderOf(index)}/${index}`, `file ${index}`]),
      );
    const loser = { ...told(0), failed: ["not_found"] };
    const events = Array(12).fill("file.moved");
    const whole = { pair, files: filesIn(() => "c"), told: [loser, told(12)] as Round["told"], events };
    expect(failures(whole)).toEqual([]);
    const split = { ...whole, files: filesIn((index) => (index < 5 ? "b" : "c")) };
    expect(failures(split)[0]).toContain("the files are");
    expect(failures({ ...whole, told: [told(0), told(12)] })[0]).toContain("the two were told");
  });

  it("catches two copies with one name, what is still pending, and claims that are left", () => {
    const pair = "copy, copy with keep-both";
    const renamed = { ...told(1), renamed: ["a (1)"] };
    const files = { a: "a", "a (1)": "a", "a (2)": "a" };
    const events = ["file.copied", "file.copied"];
    expect(failures({ pair, files, events, told: [renamed, renamed] })[0]).toContain(
      "both were told the name a (1)",
    );
    expect(failures({}, { pending: ["file.moved of a"], claims: 2 })).toEqual([
      "1 changes are still pending, such as file.moved of a",
      "2 claims were not released",
    ]);
  });
});

describe("catalogue", () => {
  const found: CatalogueFound = {
    wantedChanges: 2,
    wantedKills: 1,
    hasAwsCli: false,
    lost: [],
    before: [],
    after: [],
    waiting: 0,
    objects: 1,
  };
  const change = (etag: string | null, began: number, isTold = true): CatalogueOperation => ({
    what: "changed",
    by: "client",
    key: "a",
    etag,
    began,
    ended: began + 10,
    isTold,
  });
  const answer = (asOf: number, ended: number, rows: Record<string, string>): CatalogueOperation => ({
    what: "answered",
    by: "the app",
    asOf,
    ended,
    rows,
  });
  const killed: CatalogueOperation = { what: "app killed", changes: 1 };
  const changes = [change("one", 100), change(null, 200)];
  const access = (isAllowed: boolean, response: number): CatalogueOperation => ({
    what: "asked for access",
    key: isAllowed ? "unknown" : "other",
    isAllowed,
    response,
  });
  const asked = [access(true, 200), access(false, 403), access(true, 503)];
  const judge = (operations: CatalogueOperation[], more: Partial<CatalogueFound> = {}, awayMs = 20_000) => {
    const {
      title,
      operations: timed,
      found: all,
    } = history([killed, ...asked, ...operations], { ...found, ...more });
    const away: typeof timed = [
      { what: "database away", at: 10 },
      { what: "database back", at: 10 + awayMs },
    ];
    return checkCatalogue({ title, operations: [...timed, ...away], found: all }).failures;
  };
  const failures = (operations: CatalogueOperation[], more: Partial<CatalogueFound> = {}) =>
    judge(operations, more);

  it("passes if answers know what had happened until then, and perhaps more", () => {
    const answers = [
      answer(90, 95, {}),
      answer(90, 105, { a: "one" }),
      answer(150, 160, { a: "one" }),
      answer(150, 205, {}),
      answer(205, 300, { a: "one" }),
      answer(220, 300, {}),
    ];
    for (const given of answers) expect(failures([...changes, given])).toEqual([]);
  });

  it("catches an answer that is older than it says, and one that knows what has not happened", () => {
    const older = (asOf: number) =>
      `1 keys were older than their answer said, such as a in the answer as of ${new Date(asOf).toISOString()}`;
    expect(failures([...changes, answer(120, 130, {})])).toEqual([older(120)]);
    expect(failures([...changes, answer(220, 230, { a: "one" })])).toEqual([older(220)]);
    expect(failures([...changes, answer(90, 95, { a: "one" })])).toEqual([older(90)]);
  });

  it("catches what was told and forgotten, what a scan has not repaired, and a drill without kills", () => {
    const answered = answer(220, 230, {});
    expect(failures([...changes, answered], { before: ["a"] })).toEqual([
      "1 keys were told, and are not in the catalogue, such as a",
    ]);
    const untold = [change("one", 100), change(null, 200, false)];
    expect(failures([...untold, answered], { before: ["a"] })).toEqual([]);
    expect(
      failures([...changes, answered], { after: ["a"], waiting: 1, wantedChanges: 3, wantedKills: 2 }),
    ).toEqual([
      "1 keys differ after the scan, such as a",
      "1 keys wait for ever",
      "2 changes were made instead of 3",
      "the app was killed 1 times instead of 2",
      "a scan was killed 0 times instead of 1",
    ]);
    expect(failures(changes)).toEqual(["the catalogue has answered nothing"]);
  });

  it("looks only at the files of the folder that the app was asked for", () => {
    const inFolder = (folder: string): CatalogueOperation =>
      ({ ...answer(220, 230, { a: "one" }), folder }) as CatalogueOperation;
    expect(failures([...changes, inFolder("other/")])).toEqual([]);
    expect(failures([...changes, inFolder("")])).toHaveLength(1);
  });

  it("catches access that depends on the catalogue, and changes that were told although they should be lost", () => {
    const answered = answer(220, 230, {});
    expect(failures([...changes, answered, access(true, 404)])).toEqual([
      "1 requests for access depended on the catalogue, such as unknown: 404",
    ]);
    expect(failures([...changes, answered, access(false, 200)])).toEqual([
      "1 requests for access depended on the catalogue, such as other: 200",
    ]);
    expect(failures([...changes, answered], { lost: ["b"] })).toEqual([
      "1 keys that nobody told of did not differ before the scan, such as b",
    ]);
  });

  it("catches a drill without the AWS CLI, although it is installed, and a short outage", () => {
    const answered = answer(220, 230, {});
    expect(failures([...changes, answered], { hasAwsCli: true })).toEqual([
      "the AWS CLI has changed nothing",
    ]);
    expect(judge([...changes, answered], {}, 100)).toEqual([
      "PostgreSQL was away for 100 ms instead of once for 20000",
    ]);
  });
});
