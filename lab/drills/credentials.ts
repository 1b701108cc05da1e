import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "@playwright/test";
import { campaign } from "../../app/commands/campaign";
import { startObjectStore } from "../../local/object-store";
import { startLocalQueue } from "../../local/queue";
import type { StackInfo } from "../../local/stack-info";
import { startIntegrator } from "../../tests/e2e/integrator";
import { bmp } from "../../tests/e2e/sample-files";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { runHere } from "../../tests/support/app/run-command";
import {
  type CredentialEndpoints,
  type CredentialFault,
  startCredentialEndpoints,
} from "../../tests/support/cloud/credential-endpoints";
import { type Ses, startSes } from "../../tests/support/email/ses";
import { openBucket } from "../../tests/support/files/bucket";
import { makeProfile } from "../../tests/support/machine/browser-profile";
import { findFreePort } from "../../tests/support/machine/free-port";
import { startSlowLink } from "../../tests/support/network/slow-link";
import type { CredentialOperation, CredentialsFound } from "./checkers/credentials";
import { type DrillOptions, type History, Recorder } from "./drill";
import { wholeNumber } from "./seed";
import { type MadeFile, MB, makeFile, openBrowser, picker } from "./transfer-site";

/** How long keys live, milliseconds. The app renews them after a quarter to half of that. */
const LIFE_MS = 10_000;
const MIN_RENEWALS = 20;
/** Each happens to one request for new keys, and to a renewal of its own. */
const FAULTS: CredentialFault[] = ["refuse", "slow", "garbage", "ended", "silence"];
const FAULT_INTERVAL = Math.floor(MIN_RENEWALS / FAULTS.length);
const EMAILS = 420;
const EMAILS_PER_SECOND = 6;
/** Files that are uploaded in parts, and that take most of the drill over the slow link. */
const FILMS = 3;
const LINK = { roundTripMs: 10, bytesPerSecond: 250_000 };
const FOLDERS = ["/red", "/blue"];
const PAUSE_MS = 1_000;
/** Time after which the drill ends, whatever is missing then, milliseconds. */
const MAX_MS = 150_000;
const TOKEN = "publish-token";
/** of the app, that the history has */
const MAX_WARNINGS = 20;

/** Uploads, a campaign and an open explorer while the built app runs on a role's keys that end every few seconds. */
export async function* drillCredentials(
  stack: StackInfo,
  { choose, seed }: DrillOptions,
): AsyncGenerator<History<CredentialOperation, CredentialsFound>> {
  const folder = await mkdtemp(join(tmpdir(), "credentials-drill-"));
  const keys = await startCredentialEndpoints();
  keys.lifeMs = LIFE_MS;
  const { region, accessKeyId, secretAccessKey } = stack.objectStore;
  const store = await startObjectStore({
    port: 0,
    dataDir: join(folder, "store"),
    region,
    accessKeyId,
    secretAccessKey,
    temporaryKeys: keys.keys,
  });
  const link = await startSlowLink(store.endpoint, LINK);
  const ses = await startSes();
  checkSessions(ses, keys);
  const behind = { ...stack, objectStore: { ...stack.objectStore, endpoint: link.endpoint } };
  const role = {
    CLOUD_CREDENTIALS: "default",
    CLOUD_ACCESS_KEY_ID: "",
    CLOUD_SECRET_ACCESS_KEY: "",
    ...keys.environment.container,
  };
  const app = await startBuiltApp(behind, {
    ...role,
    CLOUD_SES_ENDPOINT: ses.endpoint,
    QUEUE_VERIFY: "true",
    QUEUE_CURRENT_SIGNING_KEY: stack.queue.currentSigningKey,
    QUEUE_NEXT_SIGNING_KEY: stack.queue.nextSigningKey,
  });
  const platformBaseUrl = app.env.PLATFORM_BASE_URL ?? "";
  const integrator = await startIntegrator({ ...behind, apiBaseUrl: app.apiBaseUrl, platformBaseUrl });
  // Not over the slow link.
  const bucket = openBucket({ ...stack.objectStore, endpoint: store.endpoint }, integrator.bucket.name);
  const recorder = new Recorder<CredentialOperation>();
  const queue = await startLocalQueue({
    port: await findFreePort(),
    token: TOKEN,
    signingKey: stack.queue.currentSigningKey,
    log: (line) => recorder.add({ what: "not delivered at once", line }),
  });
  let page: Page | undefined;
  try {
    for (const path of FOLDERS)
      for (const number of [1, 2, 3])
        await bucket.put(`${path.slice(1)}/${number}.bmp`, bmp(320, 240), "image/bmp");
    page = await openBrowser(makeProfile(join(folder, "profile")), integrator);
    page.on("response", (response) => {
      const from = response.url().startsWith(platformBaseUrl) ? "app" : "store";
      const status = response.status();
      if (status >= 400) recorder.add({ what: "refused", from, status });
    });
    const campaignId = crypto.randomUUID();
    const recipients = await publish(campaignId, folder, {
      apiBaseUrl: app.apiBaseUrl,
      queue: queue.endpoint,
    });
    const files: MadeFile[] = [];
    const upload = async (name: string, size: number) => {
      const file = await makeFile(folder, name, size, seed);
      files.push(file);
      await picker(page as Page).setInputFiles(file.path);
    };
    for (let film = 0; film < FILMS; film++)
      await upload(`film-${film}.bin`, wholeNumber(choose("size", film), 18 * MB, 26 * MB));

    const before = keys.keys.size;
    /** Of each range of four renewals, one. */
    const faults = FAULTS.map((fault, index) => ({
      fault,
      after: wholeNumber(choose(fault), index * FAULT_INTERVAL, (index + 1) * FAULT_INTERVAL - 1),
    }));
    const deadline = performance.now() + MAX_MS;
    const arrived = async () => {
      const there = new Set(await bucket.list());
      return files.every(({ name }) => there.has(name));
    };
    for (let round = 0; performance.now() < deadline; round++) {
      const renewals = keys.keys.size - before;
      const [next] = faults;
      if (next !== undefined && next.after <= renewals && keys.nextFaults.length === 0) {
        faults.shift();
        keys.nextFaults.push(next.fault);
        recorder.add({ what: "fault of the provider", fault: next.fault });
      }
      const path = FOLDERS[round % FOLDERS.length] ?? "/";
      const failed = await open(page, path);
      recorder.add(
        failed === undefined ? { what: "opened", path } : { what: "not opened", path, error: failed },
      );
      if (round % 10 === 5) {
        await open(page, "/");
        await upload(`note-${round}.bin`, wholeNumber(choose("note", round), 1_000, MB));
      }
      const isOver = renewals > MIN_RENEWALS && faults.length === 0 && keys.nextFaults.length === 0;
      if (isOver && ses.accepted.length >= EMAILS && (await arrived())) break;
      await sleep(PAUSE_MS);
    }
    yield {
      title: `uploads, a campaign and an open page on keys that end after ${LIFE_MS / 1000} s`,
      operations: recorder.operations,
      found: {
        renewals: keys.keys.size - before,
        wantedRenewals: MIN_RENEWALS,
        wantedFaults: FAULTS,
        seconds: Math.round(recorder.milliseconds() / 1000),
        files: await Promise.all(
          files.map(async ({ name, sha256 }) => ({
            name,
            isIntact: (await bucket.sha256(name)) === sha256,
          })),
        ),
        recipients,
        accepted: ses.accepted.map(({ Destination: { ToAddresses } }) => addressOf(ToAddresses[0])),
        ...searchLog(app.output(), keys),
      },
    };
  } finally {
    await page?.context().close();
    await queue.close();
    await integrator.close();
    await app.close();
    await Promise.all([ses.close(), link.close(), store.close(), keys.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

/** SES's double checks no signatures, so this does it for the session. */
function checkSessions(ses: Ses, { keys }: CredentialEndpoints): void {
  ses.setFault((_, { headers }) => {
    const key = [...keys.values()].find(
      ({ sessionToken }) => sessionToken === headers["x-amz-security-token"],
    );
    if (key !== undefined && Date.now() < key.expiresAt) return undefined;
    return { error: { status: 403, type: "ExpiredTokenException" } };
  });
}

const addressOf = (to: string) => /<(.+)>$/.exec(to)?.[1] ?? to;

/** Publishes a campaign, and returns its recipients. */
async function publish(
  campaignId: string,
  folder: string,
  { apiBaseUrl, queue }: { apiBaseUrl: string; queue: string },
): Promise<string[]> {
  const recipients = Array.from({ length: EMAILS }, (_, number) => `reader-${number}@example.com`);
  const job = (email: string) => ({
    recipient: { email, name: "Ada" },
    campaignId,
    site: { subject: "Spring" },
    branding: { siteName: "Northwind", siteUrl: "https://northwind.example" },
  });
  const file = join(folder, "campaign.ndjson");
  await writeFile(file, recipients.map((email) => JSON.stringify(job(email))).join("\n"));
  const { code, stderr } = await runHere(
    "campaign",
    campaign,
    ["publish", file, "--rate", String(EMAILS_PER_SECOND)],
    { API_BASE_URL: apiBaseUrl, QUEUE_URL: queue, QUEUE_TOKEN: TOKEN },
  );
  if (code !== 0) throw new Error(`Publishing ended with ${code}: ${stderr}`);
  return recipients;
}

/** Opens a folder in the explorer as the page around it does. Returns the code of what failed. */
function open(page: Page, path: string): Promise<string | undefined> {
  return page.evaluate(async (folder) => {
    const element = document.querySelector("platform-embed") as HTMLElement & {
      navigate(path: string): Promise<void>;
    };
    return element.navigate(folder).then(
      () => undefined,
      (error: Error & { code?: string }) => error.code ?? error.message,
    );
  }, path);
}

/** Looks in everything that the app has printed for the secrets that were handed out, and for pieces of them. */
function searchLog(output: string, { keys }: CredentialEndpoints) {
  const pieces = [...keys.values()].flatMap(({ secretAccessKey, sessionToken }) => [
    secretAccessKey,
    ...sessionToken.split("/").filter(({ length }) => length >= 8),
  ]);
  return {
    logLines: output.split("\n").length,
    secretsInLog: pieces.filter((piece) => output.includes(piece)).length,
    renewalsThatFailed: output.split("could not be renewed").length - 1,
    warnings: [...new Set(output.match(/"level":"(?:warn|error)".*/g))].slice(0, MAX_WARNINGS),
  };
}
