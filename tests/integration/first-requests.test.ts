/**
 * The requests of the first version, with no more members than it had, and the members of the responses that callers rely on. Whatever is
 * added, these stay as they are.
 */
import { expect, inject, it } from "vitest";
import { makeEmbedClient } from "../support/app/embed-client";
import { freshName, makeCompany } from "../support/databases/cluster-databases";
import { readMailbox } from "../support/email/mailbox";
import { deliverJob } from "../support/email/queue-delivery";

const stack = inject("stack");
const { apiBaseUrl, platformBaseUrl, clusterRegion: region } = stack;

async function send(method: string, url: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

it("an embed URL is issued, renders, and signs an upload and a download", async () => {
  const { apiKey, bucket } = await makeEmbedClient(stack);
  const before = Math.floor(Date.now() / 1000);
  const request = { service: "files", scope: { bucket }, expiresInSeconds: 4_000 };
  const issued = await send("POST", `${apiBaseUrl}/api/embed/url`, request, { "X-Api-Key": apiKey });
  expect(Object.keys(issued.body).sort()).toEqual(["expiresAt", "service", "url"]);
  const { url, expiresAt, service } = issued.body;
  expect([issued.status, service]).toEqual([200, "files"]);
  expect(url).toMatch(new RegExp(`^${platformBaseUrl}/embed/files\\?t=.+$`));
  // Values above 3600 are clamped.
  expect(expiresAt - before).toBeGreaterThanOrEqual(3_600);
  expect(expiresAt - before).toBeLessThanOrEqual(3_602);

  const [origin] = [stack.demoClient.origin];
  const page = await fetch(url, { headers: { Referer: `${origin}/` } });
  expect([page.status, page.headers.get("Content-Type")]).toEqual([
    200,
    expect.stringContaining("text/html"),
  ]);

  const token = new URL(url).searchParams.get("t");
  const upload = {
    token,
    bucket,
    folderPath: "/",
    fileName: `${freshName()}.txt`,
    contentType: "text/plain",
  };
  const signed = await send("POST", `${platformBaseUrl}/api/embed/storage/presign-upload`, upload);
  expect(signed.status).toBe(200);
  const put = await fetch(signed.body.url, { method: "PUT", headers: signed.body.headers, body: "hello" });
  expect(put.status).toBe(200);
  const download = { token, bucket, key: upload.fileName };
  const back = await send("POST", `${platformBaseUrl}/api/embed/storage/presign-download`, download);
  expect(back.status).toBe(200);
  expect(await (await fetch(back.body.url)).text()).toBe("hello");
});

it("services that are not enabled say so, and a page of another site is refused", async () => {
  const { apiKey, bucket } = await makeEmbedClient(stack);
  const request = { service: "files", scope: { bucket } };
  const { body } = await send("POST", `${apiBaseUrl}/api/embed/url`, request, { "X-Api-Key": apiKey });
  const elsewhere = await fetch(body.url, { headers: { Referer: "https://elsewhere.example/" } });
  expect(elsewhere.status).toBe(403);
  for (const service of ["notif", "tasks"]) {
    const page = await fetch(`${platformBaseUrl}/embed/${service}?t=x`);
    expect([page.status, await page.text()]).toEqual([403, expect.stringContaining("service_not_enabled")]);
  }
});

it("an e-mail with every member is sent", async () => {
  const to = `${freshName()}@example.com`;
  const { status, body } = await send("POST", `${apiBaseUrl}/api/send-simple-email`, {
    to: [to],
    title: "Welcome",
    description: "**Hello** :tada:\n\n1. one\n2. two\n\n- a\n- b",
    theme: "stone",
    logoUrl: "https://northwind.example/logo.png",
    siteName: "Northwind",
    pdf: ["https://northwind.example/terms.pdf"],
  });
  expect([status, body]).toEqual([200, { success: true, results: [{ to, messageId: expect.any(String) }] }]);
  const [email] = await readMailbox(stack.mailboxUrl, to);
  expect(email?.html).toContain("https://northwind.example/terms.pdf");
});

it("a database is created, listed and found; one without a cluster is pending; an unknown one is a 404", async () => {
  const companyId = await makeCompany(stack);
  const base = `${apiBaseUrl}/api/cluster/databases`;
  const name = freshName();
  const created = await send("POST", base, {
    companyId,
    name: name.toUpperCase(),
    region,
    maxCapacityAcu: 2,
  });
  expect(created).toEqual({
    status: 201,
    body: {
      success: true,
      resource: { id: expect.any(String), name, region, status: "active" },
      note: expect.stringContaining(region),
    },
  });
  const { id } = created.body.resource;
  const resource = {
    id,
    companyId,
    resourceType: "cluster_database",
    name,
    region,
    status: "active",
    externalId: name,
    clusterRef: expect.any(String),
    maxCapacityAcu: 2,
    currentUsageAcu: null,
    storageBytes: null,
    metadata: {},
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  };
  expect(await send("GET", `${base}/${id}`)).toEqual({ status: 200, body: resource });
  expect(await send("GET", `${base}?companyId=${companyId}&region=${region}`)).toEqual({
    status: 200,
    body: { databases: [resource] },
  });
  const nowhere = await send("POST", base, { companyId, name: freshName(), region: "eu-north-1" });
  expect(nowhere).toMatchObject({ status: 201, body: { success: true, resource: { status: "pending" } } });
  expect(await send("GET", `${base}/unknown`)).toEqual({
    status: 404,
    body: { error: "Resource not found" },
  });
});

it("a queued job with every member becomes an e-mail", async () => {
  const email = `${freshName()}@example.com`;
  const response = await deliverJob(
    { apiBaseUrl, signingKey: stack.queue.currentSigningKey },
    JSON.stringify({
      recipient: { email, name: "Ada", unsubscribeToken: "t" },
      campaignId: freshName(),
      site: { subject: "Spring is here" },
      branding: {
        siteName: "Northwind",
        siteUrl: "https://northwind.example",
        logoUrl: "https://northwind.example/logo.png",
        supportEmail: "help@northwind.example",
      },
      featuredProducts: [{ name: "Trail Pack", url: "https://northwind.example/p" }],
      events: [{ title: "Night hike", date: "2027-03-06" }],
    }),
  );
  expect(response.status).toBe(200);
  await expect.poll(() => readMailbox(stack.mailboxUrl, email)).toHaveLength(1);
  const [sent] = await readMailbox(stack.mailboxUrl, email);
  expect([sent?.subject, sent?.text]).toEqual(["Spring is here", expect.stringContaining("Hello Ada,")]);
});
