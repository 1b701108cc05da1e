import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { themeNames } from "../../app/email/themes";
import { findFreePort } from "../../tests/support/machine/free-port";
import type { LocalServer } from "../listen";
import { startDemo } from ".";
import { demoCustomer } from "./customer";
import { demoPages } from "./pages";

const apiKey = "pek_the-key-of-the-demo";

interface Call {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** The platform's API at its wire: answers what the test says. */
let api: Server;
let answer: { status: number; body: object };
let calls: Call[];
let demo: LocalServer;

beforeAll(async () => {
  const port = await findFreePort();
  api = createServer(async (request, response) => {
    calls.push({
      path: request.url,
      headers: request.headers,
      body: JSON.parse((await text(request)) || "null"),
    });
    response.writeHead(answer.status).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => api.listen(port, "127.0.0.1", resolve));
  demo = await startDemo({
    port: await findFreePort(),
    apiBaseUrl: `http://127.0.0.1:${port}`,
    platformBaseUrl: `http://localhost:${port}`,
    apiKey,
    companyId: "demo-company",
    bearerToken: "token-of-the-demo",
    bucket: "demo-files",
    clusterRegion: "ca-central-1",
    mailboxUrl: "http://127.0.0.1:8005",
    queue: { url: `http://127.0.0.1:${port}`, token: "token-of-the-queue" },
  });
});

beforeEach(() => {
  calls = [];
  answer = { status: 200, body: { url: "http://platform/embed/files?t=x", expiresAt: 1, service: "files" } };
});

afterAll(async () => {
  await demo?.close();
  api?.close();
});

describe("the demo portal", () => {
  it("asks the public API for an embed URL, with its key, and passes the answer on", async () => {
    const response = await fetch(`${demo.endpoint}/embed-url`, { method: "POST" });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(answer.body);
    expect(calls).toMatchObject([
      {
        path: "/api/embed/url",
        headers: { "x-api-key": apiKey, "content-type": "application/json" },
        body: {
          service: "files",
          scope: {
            bucket: "demo-files",
            actions: ["download", "upload", "organize", "delete", "activity", "history", "purge"],
          },
        },
      },
    ]);
  });

  it("lets only an admin delete versions for good", async () => {
    await fetch(`${demo.endpoint}/embed-url`, { method: "POST", headers: { cookie: "demo-user=u-2" } });
    const actions = ["download", "upload", "organize", "delete", "activity", "history"];
    expect(calls).toMatchObject([{ body: { scope: { bucket: "demo-files", actions } } }]);
  });

  it("names who is signed in, of the two who can be", async () => {
    for (const [cookie, id] of [
      ["demo-user=u-2", "u-2"],
      ["other=1; demo-user=u-1", "u-1"],
      ["demo-user=u-3", "u-1"],
      ["", "u-1"],
    ] as const) {
      calls = [];
      await fetch(`${demo.endpoint}/embed-url`, { method: "POST", headers: { cookie } });
      expect(calls).toMatchObject([{ body: { visitor: { id } } }]);
      expect(calls[0]?.body).toHaveProperty("visitor", { id, name: expect.any(String) });
    }
  });

  it("asks for short-lived tokens where its page says so", async () => {
    await fetch(`${demo.endpoint}/embed-url?expires=10`, { method: "POST" });
    expect(calls[0]?.body).toMatchObject({ expiresInSeconds: 10 });
    expect(await (await fetch(`${demo.endpoint}/?expires=10`)).text()).toContain(
      'token-endpoint="/embed-url?expires=10"',
    );
  });

  it("gives a customer its own folder, with a quota", async () => {
    await fetch(`${demo.endpoint}/quota-url`, { method: "POST" });
    const { path, maxTotalBytes } = demoCustomer;
    expect(calls).toMatchObject([
      { body: { scope: { bucket: "demo-files", path, limits: { maxTotalBytes } } } },
    ]);
  });

  it("tells a wrong key from a visitor who is not signed in", async () => {
    answer = { status: 401, body: { error: "The API key is not valid.", code: "invalid_api_key" } };
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const response = await fetch(`${demo.endpoint}/embed-url`, { method: "POST" });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ code: "invalid_api_key" });
    expect(String(logged.mock.calls[0])).toContain("The API key is not valid.");
    logged.mockRestore();
  });

  it.each(demoPages.map(({ path }) => path))("shows %s, and never a secret", async (path) => {
    const response = await fetch(demo.endpoint + path);
    const html = await response.text();
    expect(response.status).toBe(200);
    const withoutEmbed = ["/databases", "/emails", "/webhooks"];
    if (!withoutEmbed.includes(path)) expect(html).toContain("<platform-embed ");
    expect(html).toMatch(/<script src="http:\/\/localhost:\d+\/platform-embed\.js" defer>/);
    expect(html).not.toContain(apiKey);
    expect(html).not.toMatch(/token-of-the-(demo|queue)/);
  });

  it("writes what a query says as text", async () => {
    const html = await (
      await fetch(`${demo.endpoint}/?expires=${encodeURIComponent(`"><script>alert(1)`)}`)
    ).text();
    expect(html).not.toContain("<script>alert");
  });

  it("knows no other pages and methods", async () => {
    expect((await fetch(`${demo.endpoint}/nowhere`)).status).toBe(404);
    const page = await fetch(`${demo.endpoint}/files`, { headers: { accept: "text/html,*/*" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain('<a href="/playground">Playground</a>');
    expect((await fetch(`${demo.endpoint}/`, { method: "PUT" })).status).toBe(405);
  });

  it("creates and lists the databases of its own company, whichever a browser names", async () => {
    const body = { companyId: "another", name: "Branch", region: "ca-central-1" };
    answer = { status: 409, body: { error: "The name is taken." } };
    const refused = await fetch(`${demo.endpoint}/my-databases`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect([refused.status, await refused.json()]).toEqual([409, answer.body]);
    answer = { status: 200, body: { databases: [] } };
    expect((await fetch(`${demo.endpoint}/my-databases`)).status).toBe(200);
    const headers = { authorization: "Bearer token-of-the-demo" };
    expect(calls).toMatchObject([
      { path: "/api/cluster/databases", headers, body: { ...body, companyId: "demo-company" } },
      { path: "/api/cluster/databases?companyId=demo-company", headers, body: null },
      { path: "/api/cluster/databases?companyId=demo-company&status=deleted", headers, body: null },
    ]);
  });

  it.each(["", "not JSON", "[]"])("does not pass on a request for a database that says %j", async (body) => {
    expect((await fetch(`${demo.endpoint}/my-databases`, { method: "POST", body })).status).toBe(400);
    expect(calls).toEqual([]);
  });

  it("previews every e-mail from one text, sends a theme through the API and a campaign through the queue", async () => {
    const post = async (path: string, body: object) => {
      const response = await fetch(demo.endpoint + path, { method: "POST", body: JSON.stringify(body) });
      return { status: response.status, answer: await response.json() };
    };
    const form = {
      to: "ada@example.com",
      title: "Hello",
      description: "Some **text**",
      siteName: "",
      pdf: "",
    };
    answer = { status: 200, body: { subject: "Hello", html: "<p>Hello</p>", text: "Hello" } };
    const { answer: drawn } = await post("/email-previews", { form });
    expect(Object.keys(drawn.previews)).toEqual([...themeNames, "campaign"]);
    for (const html of Object.values(drawn.previews)) expect(html).toContain("Hello");
    expect(calls.map(({ body }) => (body as { theme: string }).theme)).toEqual([...themeNames]);
    const issues = [{ path: "description", message: "takes too long to read" }];
    answer = { status: 400, body: { error: "The request is invalid.", code: "invalid_request", issues } };
    expect(await post("/email-previews", { form })).toEqual({
      status: 400,
      answer: { error: "description: takes too long to read." },
    });

    calls = [];
    await post("/send-email", { name: "stone", form });
    await post("/send-email", { name: "campaign", form });
    expect(calls).toMatchObject([
      { path: "/api/send-simple-email", body: { to: form.to, theme: "stone", pdf: [] } },
      {
        path: expect.stringMatching(/^\/v2\/publish\/http:.*\/api\/queue\/send-email$/),
        headers: { authorization: "Bearer token-of-the-queue" },
        body: { recipient: { email: form.to }, site: { subject: "Hello" } },
      },
    ]);
  });
});
