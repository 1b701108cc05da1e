/**
 * Records a request and a response of every operation in docs/reference/examples, where the API reference takes them from. It
 * fails if the app responds otherwise than the files say. To record them again, add `--update`.
 */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { addCatalogue } from "../../app/catalogue/catalogues.server";
import { readClock, writeObserved } from "../../app/catalogue/objects.sql.server";
import { scanCatalogue } from "../../app/catalogue/scan-catalogue.server";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { scopeActions } from "../../app/services/files/place/actions";
import {
  API_BASE_URL,
  describeApiWithExamples,
  type Example,
  examplesFolder,
  PLATFORM_BASE_URL,
} from "../../docs/api-description";
import { signDelivery } from "../../local/queue/signature";
import { ExampleTidier } from "../support/app/api-examples";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { type SnsAtTheWire, startSns, TOPIC } from "../support/email/sns";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { WebhookReceiver } from "../support/integrator/webhook-receiver";

const stack = inject("stack");
const BEARER = "a-bearer-token-of-32-characters-";
const COMPANY = "acme";
const tidier = new ExampleTidier();
const { paths } = describeApiWithExamples();
const recorded = new Set<string>();
let app: RouteApp;
let amazon: SnsAtTheWire;
let receiver: WebhookReceiver;
let bucket: TestBucket;

beforeAll(async () => {
  amazon = await startSns();
  receiver = await WebhookReceiver.start();
  bucket = await makeBucket(stack);
  await bucket.keepVersions();
  const url = await makeDatabase(stack);
  await query(url, `INSERT INTO companies (id, name) VALUES ($1, 'Acme')`, [COMPANY]);
  app = createRouteApp(stack, {
    API_BASE_URL,
    PLATFORM_BASE_URL,
    POSTGRES_URL: url,
    API_BEARER_TOKEN: BEARER,
    WEBHOOK_ALLOW_PRIVATE: "true",
    EMAIL_EVENTS_TOPICS: TOPIC,
    STORAGE_EVENTS_TOPICS: TOPIC,
    CATALOGUE_MAX_LAG_SECONDS: "3600",
    CLUSTER_HOST_CA_CENTRAL_1: "acme.cluster.example.com:5432",
  });
  tidier.names
    .set(bucket.name, "customer-files")
    .set(receiver.url, "https://acme.example/webhooks")
    .set(stack.objectStore.endpoint, "https://s3.ca-central-1.amazonaws.com");
});
afterAll(async () => {
  await app?.close();
  await receiver?.stop();
  await amazon?.close();
});

interface Call {
  path?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: object;
}

/** The members of responses that later requests need. */
interface Result {
  id: string;
  apiKey: string;
  client: { id: string };
  url: string;
  headers: Record<string, string>;
  undo: string;
  versions: { versionId: string }[];
  events: { id: string }[];
  upload: string;
  partSize: number;
  parts: { number: number; url: string; headers: Record<string, string> }[];
  resource: { id: string };
  user: string;
  results: { messageId: string }[];
}

/** Calls an operation, compares request and response with its file, and returns the response. */
async function record(
  operationId: string,
  { path = {}, query, headers = {}, body }: Call = {},
): Promise<Result> {
  const { method, route, baseUrl, schemes } = operationOf(operationId);
  const filled = route.replace(/\{(\w+)\}/g, (_, name) => path[name] ?? "");
  const search = query ? `?${new URLSearchParams(query)}` : "";
  const response = await app.fetch(baseUrl + filled + search, {
    method,
    headers: {
      ...(body && { "Content-Type": "application/json" }),
      ...(schemes.includes("bearerToken") && { Authorization: `Bearer ${BEARER}` }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const result = response.headers.get("Content-Type")?.startsWith("application/json")
    ? JSON.parse(text)
    : text;
  const { "X-Api-Key": _key, Authorization: _token, ...shown } = headers;
  const parameters = { ...path, ...query, ...shown };
  const example: Example = {
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(body && { body }),
    status: response.status,
    response: result,
  };
  recorded.add(operationId);
  await expect(`${JSON.stringify(tidier.tidy(example), null, 2)}\n`).toMatchFileSnapshot(
    fileURLToPath(new URL(`${operationId}.json`, examplesFolder)),
    operationId,
  );
  expect(response.ok, `${operationId}: ${text}`).toBe(true);
  return result;
}

function operationOf(operationId: string) {
  for (const [route, { servers, ...methods }] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const found = operation as { operationId: string; security?: Record<string, unknown>[] };
      if (found.operationId !== operationId) continue;
      const schemes = (found.security ?? []).flatMap((scheme) => Object.keys(scheme));
      return {
        method: method.toUpperCase(),
        route,
        schemes,
        baseUrl: servers ? PLATFORM_BASE_URL : API_BASE_URL,
      };
    }
  }
  throw new Error(`There is no operation ${operationId}.`);
}

/** Sends bytes by a presigned URL. */
async function put(
  { url, headers }: { url: string; headers: Record<string, string> },
  body: string | Uint8Array,
) {
  expect((await fetch(url, { method: "PUT", headers, body: body as BodyInit })).status).toBe(200);
}

/** A token for the scope, as the page of the embed URL gets it. */
async function tokenFor(apiKey: string, scope: object, service = "files"): Promise<string> {
  const response = await app.fetch(`${API_BASE_URL}/api/embed/url`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Api-Key": apiKey },
    body: JSON.stringify({ service, scope, visitor: { id: "u-17", name: "Ada Lovelace" } }),
  });
  return new URL((await response.json()).url).searchParams.get("t") ?? "";
}

it("responds to every operation as the example of the API reference says", async () => {
  await record("checkHealth");
  await record("checkReadiness");

  const { client, apiKey } = await record("createEmbedClient", {
    body: {
      companyId: COMPANY,
      name: "Customer portal",
      allowedServices: ["files", "activity"],
      allowedOrigins: ["https://portal.example.com"],
      allowedScopes: { files: { buckets: [bucket.name], actions: [...scopeActions] }, activity: {} },
    },
  });
  const key = { "X-Api-Key": apiKey };
  const path = { id: client.id };
  await record("listEmbedClients", { query: { companyId: COMPANY } });
  await record("getEmbedClient", { path });
  await record("changeEmbedClient", { path, body: { name: "Customer portal, Canada" } });
  await record("issueEmbedUrl", {
    headers: key,
    body: {
      service: "files",
      scope: { bucket: bucket.name, path: "/customers/17", actions: ["download", "upload", "organize"] },
      visitor: { id: "u-17", name: "Ada Lovelace" },
    },
  });

  const webhook = await record("createWebhook", {
    headers: key,
    body: { url: receiver.url, types: ["file.*"] },
  });
  const webhookCall = { headers: key, path: { id: webhook.id } };
  await record("listWebhooks", { headers: key });
  await record("testWebhook", webhookCall);

  await recordFiles(apiKey);
  await recordFollowing(client.id);

  await query(
    app.env.postgres.url,
    `INSERT INTO usage_days (bucket, path, day, objects, bytes, version_bytes) VALUES ($1, '/customers/17', '2026-11-28', 240, 3200000000, 81000000)`,
    [bucket.name],
  );
  await record("listUsage", { headers: key, query: { bucket: bucket.name, path: "/customers/17" } });

  await record("listWebhookDeliveries", { ...webhookCall, query: { limit: "1" } });
  const { events } = await record("listEvents", { headers: key, query: { visitor: "u-17", limit: "1" } });
  await record("replayWebhookEvents", { ...webhookCall, body: { eventIds: [events[0]?.id] } });
  await record("rotateWebhookSecret", webhookCall);
  await record("enableWebhook", webhookCall);
  await record("deleteWebhook", webhookCall);

  await recordDatabases();
  await recordEmail();

  await record("revokeEmbedTokens", { headers: key, body: { visitor: "u-17" } });
  await record("rotateEmbedClientKey", { path });
  await record("revokeEmbedClient", { path });

  const operations = Object.values(paths).flatMap(({ servers: _, ...methods }) =>
    Object.values(methods).map((operation) => (operation as { operationId: string }).operationId),
  );
  expect([...recorded].sort()).toEqual(operations.sort());
}, 120_000);

/** For some seconds, a process keeps that a bucket had no catalogue. */
const untilCatalogueIsFound = (bucket: string) =>
  expect.poll(() => app.catalogues.find(bucket), { timeout: 10_000 }).toBeDefined();

/** Of a bucket of its own, because what a catalogue does not know yet is not found in it. */
async function recordFollowing(clientId: string): Promise<void> {
  const { name } = await makeBucket(stack);
  tidier.names.set(name, "customer-files");
  const { id } = await addCatalogue(app.database, name);
  await app.database.catalogue.update({ where: { id }, data: { scannedAt: new Date() } });
  await untilCatalogueIsFound(name);
  const object = { size: 11, etag: '"0123abcd"', lastModified: new Date() };
  const asOf = await readClock(app.database);
  await writeObserved(app.database, [{ bucket: name, key: "reports/june.txt", asOf, object }]);
  const now = app.now();
  const scope = { bucket: name };
  const grant = {
    cid: clientId,
    companyId: COMPANY,
    svc: "files",
    origins: [],
    iat: now,
    exp: now + 60,
    scope,
  };
  const token = signEmbedToken(grant, stack.embedSigningSecret);
  await record("followFolder", {
    query: { bucket: name, folderPath: "/reports", once: "true" },
    headers: { Authorization: `Bearer ${token}` },
  });
}

async function recordFiles(apiKey: string): Promise<void> {
  const token = await tokenFor(apiKey, { bucket: bucket.name, actions: [...scopeActions] });
  const where = { token, bucket: bucket.name };
  const report = { folderPath: "/reports", fileName: "june.txt", contentType: "text/plain" };

  const upload = await record("presignUpload", { body: { ...where, ...report, size: 11 } });
  await put(upload, "Hello, June");
  await record("confirmUploads", { body: { ...where, keys: ["reports/june.txt"] } });
  await bucket.put("reports/july.txt", "Hello, July", "text/plain");
  await record("createFolder", { body: { ...where, folderPath: "/reports", name: "2025" } });
  await record("listFolder", { body: { ...where, folderPath: "/reports" } });
  await record("searchFiles", { body: { ...where, query: "june" } });
  await record("presignDownload", { body: { ...where, key: "reports/june.txt" } });
  await record("presignDownloads", { body: { ...where, keys: ["reports/june.txt", "reports/july.txt"] } });
  await record("diagnoseStorage", { body: { ...where, operation: "upload" } });

  await record("copyItems", {
    body: { ...where, items: [{ key: "reports/june.txt" }], to: "/reports/2025", onConflict: "fail" },
  });
  await record("moveItems", {
    body: {
      ...where,
      items: [{ key: "reports/july.txt" }],
      to: "/reports",
      name: "july-final.txt",
      onConflict: "fail",
    },
  });
  const deleted = await record("deleteItems", { body: { ...where, items: [{ key: "reports/june.txt" }] } });
  await record("listDeletedFiles", { body: { ...where, folderPath: "/reports" } });
  await record("restoreItems", { body: { ...where, undo: deleted.undo } });
  await bucket.put("reports/june.txt", "Hello again", "text/plain");
  const { versions } = await record("listVersions", { body: { ...where, key: "reports/june.txt" } });
  await record("listChangeTimes", {
    body: { ...where, folderPath: "/reports", from: minutesFromNow(-5), to: minutesFromNow(5) },
  });
  await record("purgeVersions", {
    body: { ...where, items: [{ key: "reports/june.txt", versionId: versions.at(-1)?.versionId }] },
  });
  await record("listRecentFiles", { body: where });
  const catalogue = await addCatalogue(app.database, bucket.name);
  await scanCatalogue(app, catalogue, { signal: new AbortController().signal });
  await untilCatalogueIsFound(bucket.name);
  await record("readFolderSizes", { body: { ...where, folderPaths: ["/reports", "/reports/2025"] } });
  const limits = { maxTotalBytes: 5_000_000_000 };
  const limited = await tokenFor(apiKey, { bucket: bucket.name, path: "/reports", limits });
  await record("readQuota", { body: { ...where, token: limited } });
  await record("listFileActivity", { body: { ...where, key: "reports/june.txt", limit: 1 } });

  await recordMultipart(where);
  await recordHandIn(apiKey);

  const activity = await tokenFor(apiKey, {}, "activity");
  await record("listActivity", { body: { token: activity, type: "file.uploaded", limit: 1 } });
  await record("listActivePeople", { body: { token: activity } });
  await record("exportActivity", { body: { token: activity, type: "file.copied" } });

  const Records = [
    {
      eventName: "ObjectCreated:Put",
      // Before all other events, which the examples of newest ones show.
      eventTime: minutesFromNow(-1),
      s3: {
        bucket: { name: bucket.name },
        object: { key: "reports/june.txt", size: 11, eTag: "0123", sequencer: "1" },
      },
    },
  ];
  await record("receiveStorageEvents", {
    body: JSON.parse(amazon.message({ Message: JSON.stringify({ Records }) })),
  });
}

async function recordMultipart(where: { token: string; bucket: string }): Promise<void> {
  const MiB = 1024 ** 2;
  const { token } = where;
  const film = {
    folderPath: "/films",
    fileName: "tour.mp4",
    contentType: "video/mp4",
    size: 17 * MiB,
    ifNoneMatch: true,
  };
  const { upload, partSize } = await record("createMultipartUpload", { body: { ...where, ...film } });
  const { parts } = await record("signUploadParts", {
    body: { token, upload, parts: [{ number: 1 }, { number: 2 }, { number: 3 }] },
  });
  for (const part of parts)
    await put(part, new Uint8Array(Math.min(partSize, film.size - (part.number - 1) * partSize)));
  await record("listUploadParts", { body: { token, upload } });
  await record("findMultipartUpload", { body: { ...where, ...film } });
  await record("completeMultipartUpload", { body: { token, upload } });
  const response = await app.fetch(`${PLATFORM_BASE_URL}/api/embed/storage/multipart/create`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...where, ...film, fileName: "other.mp4" }),
  });
  await record("abortMultipartUpload", { body: { token, upload: (await response.json()).upload } });
}

/** A hand-in page takes back what was uploaded there. */
async function recordHandIn(apiKey: string): Promise<void> {
  const scope = { bucket: bucket.name, view: "hand-in", uploadFolder: "/inbox", actions: ["upload"] };
  const token = await tokenFor(apiKey, scope);
  const ask = async (what: string, body: object) => {
    const response = await app.fetch(`${PLATFORM_BASE_URL}/api/embed/storage/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: bucket.name, ...body }),
    });
    return response.json();
  };
  const file = { folderPath: "/inbox", fileName: "cv.pdf", contentType: "application/pdf", size: 3 };
  const signed = await ask("presign-upload", file);
  await put(signed, "abc");
  const { uploaded } = await ask("uploaded", { receipts: [signed.receipt] });
  await record("takeBackUpload", { body: { token, takeBack: uploaded[0].takeBack } });
}

async function recordDatabases(): Promise<void> {
  const name = `orders_${crypto.randomUUID().slice(0, 8)}`;
  tidier.names.set(name, "orders");
  const { resource } = await record("createDatabase", {
    body: { companyId: COMPANY, name, region: stack.clusterRegion, maxCapacityAcu: 2 },
  });
  const path = { resourceId: resource.id };
  await record("listDatabases", { query: { companyId: COMPANY } });
  await record("getDatabase", { path });
  const first = await record("createDatabaseCredential", { path, body: { name: "Orders service" } });
  await record("listDatabaseCredentials", { path });
  const second = await record("rotateDatabaseCredential", { path: { ...path, user: first.user } });
  await record("removeDatabaseCredential", { path: { ...path, user: second.user } });
  await record("deleteDatabase", { path, body: { confirm: name } });
  await record("restoreDatabase", { path });
}

async function recordEmail(): Promise<void> {
  const email = {
    to: "ada@example.com",
    title: "Your report is ready",
    description: "The report for **June** is in your folder.",
    siteName: "Acme",
    button: { label: "Open the report", url: "https://portal.example.com/reports" },
    theme: "blue",
    companyId: COMPANY,
  };
  await record("previewSimpleEmail", { body: email });
  const { results } = await record("sendSimpleEmail", {
    body: email,
    headers: { "Idempotency-Key": "report-ready-17-june" },
  });
  await record("getEmail", { path: { messageId: results[0]?.messageId ?? "" } });
  const job = {
    recipient: { email: "ada@example.com", name: "Ada Lovelace", unsubscribeToken: "u17" },
    campaignId: "spring-2026",
    companyId: COMPANY,
    site: { subject: "Spring is here" },
    branding: { siteName: "Acme", siteUrl: "https://acme.example" },
  };
  await record("deliverCampaignEmail", {
    body: job,
    headers: {
      "Queue-Signature": await signDelivery(
        JSON.stringify(job),
        `${API_BASE_URL}/api/queue/send-email`,
        stack.queue.currentSigningKey,
      ),
    },
  });
  const Message = JSON.stringify({
    eventType: "Bounce",
    bounce: { bounceType: "Permanent", bouncedRecipients: [{ emailAddress: "gone@example.com" }] },
  });
  await record("receiveEmailEvents", { body: JSON.parse(amazon.message({ Message })) });
}

const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
