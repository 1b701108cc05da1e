import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { issueEmbedUrl, makeEmbedClient, type TestEmbedClient } from "../support/app/embed-client";

const stack = inject("stack");
const { origin } = stack.demoClient;
let client: TestEmbedClient;
let url: string;
beforeAll(async () => {
  client = await makeEmbedClient(stack, { origins: [origin, "https://portal.example.com"] });
  ({ url } = await issueEmbedUrl(stack, client));
});
const open = (address: string, headers: HeadersInit = { Referer: `${origin}/page` }) =>
  fetch(address, { headers });
const directives = (answer: Response) =>
  new Map(
    answer.headers
      .get("Content-Security-Policy")
      ?.split("; ")
      .map((directive) => directive.split(/ (.*)/) as [string, string]),
  );

describe("GET /embed/files", () => {
  it("renders in an allowed parent, named by Referer or Origin", async () => {
    const told: HeadersInit[] = [{ Referer: `${origin}/` }, { Origin: "https://portal.example.com" }];
    for (const headers of told) {
      const answer = await open(url, headers);
      expect(answer.status).toBe(200);
      const html = await answer.text();
      expect(html).toContain('<div class="service-page explorer"');
      expect(html).toContain("<title>Files</title>");
      expect(html).not.toContain("embed-state embed-state--page");
    }
  });

  it("starts in the folder that the integrator's page names, if the scope includes it", async () => {
    const scoped = await issueEmbedUrl(stack, client, { scope: { path: "/invoices" } });
    const opened = async (path: string) => {
      const html = await (await open(`${scoped.url}&path=${encodeURIComponent(path)}`)).text();
      return html.match(/<h1[^>]*title="([^"]*)"/)?.[1];
    };
    expect(await opened("/invoices/2026")).toBe("2026");
    // A folder below it, because nothing is resolved in keys.
    expect(await opened("/invoices/../other")).toBe("other");
    for (const path of ["/", "/other", "/invoices-old", "invoices/2026", "/invoices/"])
      expect(await opened(path), path).toBe("invoices");
  });

  it("remembers the open folder of one visitor for nobody else", async () => {
    const placeKeyOf = async (id: string) => {
      const issued = await issueEmbedUrl(stack, client, { visitor: { id } });
      return (await (await open(issued.url)).text()).match(/platform-embed-place-[\w-]+/)?.[0];
    };
    const ada = await placeKeyOf("ada");
    expect(ada).toBeTruthy();
    expect(await placeKeyOf("ada")).toBe(ada);
    expect(await placeKeyOf("ben")).not.toBe(ada);
  });

  it("names only the page that asks as its frame, if the key has too many origins for a header", async () => {
    const origins = Array.from({ length: 100 }, (_, index) => `https://portal-${index}.customer.example.com`);
    const many = await makeEmbedClient(stack, { origins });
    const issued = await issueEmbedUrl(stack, many);
    const answer = await open(issued.url, { Referer: `${origins[42]}/` });
    expect(answer.status).toBe(200);
    expect(directives(answer).get("frame-ancestors")).toBe(origins[42]);
    expect(answer.headers.get("Content-Security-Policy")?.length).toBeLessThan(2_000);
    expect((await open(issued.url, { Referer: "https://other.example/" })).status).toBe(403);
  });

  it("sends a policy of who may frame it and what it may load", async () => {
    const answer = await open(url);
    const policy = directives(answer);
    expect(policy.get("frame-ancestors")).toBe(`${origin} https://portal.example.com`);
    expect(policy.get("default-src")).toBe("'none'");
    expect(policy.get("connect-src")).toBe(`'self' ${stack.objectStore.endpoint}`);
    const nonce = policy.get("script-src")?.match(/^'self' '(nonce-[\w+/=]+)'$/)?.[1];
    expect(nonce).toBeTruthy();
    const again = directives(await open(url)).get("script-src");
    expect(again).not.toContain(nonce);
    expect(answer.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
    const inline = (await answer.text()).match(/<script(?![^>]*\bsrc=)[^>]*>/g) ?? [];
    expect(inline.length).toBeGreaterThan(0);
    for (const tag of inline) expect(tag).toContain(`nonce="${nonce?.slice("nonce-".length)}"`);
  });

  it("has scripts without server code", () => {
    // The compiler writes a list of every file that the scripts were made from.
    const { inputs } = JSON.parse(readFileSync("build/metafile.js.json", "utf8"));
    const files = Object.keys(inputs);
    expect(files).toContain("app/services/files/page.tsx");
    expect(
      files.filter((path) => /\.server\.tsx?$|node_modules\/(zod|pg|@prisma|@aws-sdk)\//.test(path)),
    ).toEqual([]);
  });

  it("inlines its styles and first script, so that rows appear without a further request", async () => {
    const html = await (await open(url)).text();
    const [styles = ""] = html.match(/<style nonce="[^"]+">[^<]+<\/style>/) ?? [];
    for (const selector of [".embed-state", ".explorer", ".row"]) expect(styles).toContain(`${selector}{`);
    expect(html).not.toMatch(/<link[^>]+rel="stylesheet"/);
    expect(html).toMatch(/<script nonce="[^"]+">[^<]*platform\.embed\.visible[^<]*"files"/);
    const refused = await (await open(url, {})).text();
    expect(refused).toContain(".embed-state{");
    expect(refused).not.toContain(".explorer{");
    expect(refused).not.toContain("platform.embed.visible");
  });

  it("has no style attributes, which its policy would block", async () => {
    expect(await (await open(url)).text()).not.toMatch(/<[^>]+\sstyle=/);
  });

  it.each([
    ["no parent", {}, 403, "referrer_missing"],
    ["another parent", { Referer: "https://evil.example/" }, 403, "origin_not_allowed"],
    ["an opaque parent", { Origin: "null", Referer: "http://127.0.0.1:4000/" }, 403, "origin_not_allowed"],
    [
      "a parent that only begins alike",
      { Referer: `${origin.replace("127.0.0.1", "127.0.0.1.evil.example")}/` },
      403,
      "origin_not_allowed",
    ],
  ])("refuses with %s, before anything of the scope is shown", async (_, headers, status, code) => {
    const answer = await open(url, headers as HeadersInit);
    expect(answer.status).toBe(status);
    const html = await answer.text();
    expect(html).toContain(code);
    expect(html).not.toContain(client.bucket);
    expect(html).not.toContain(new URL(url).searchParams.get("t"));
    expect(directives(answer).has("frame-ancestors")).toBe(false);
  });

  it("refuses methods other than GET and HEAD", async () => {
    const answer = await fetch(url, { method: "POST", headers: { Referer: `${origin}/` } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("Allow")).toBe("GET, HEAD");
  });

  it("never copies injected input into its page", async () => {
    const answer = await open(`${url}&locale=</script><script>alert(1)</script>&theme="><b>`, {
      Referer: `${origin}/</script><script>alert(2)</script>`,
      "X-Request-Id": "<script>alert(3)</script>",
    });
    const html = await answer.text();
    expect(html).not.toMatch(/alert\(\d\)/);
  });
});

describe("GET /embed/{another service}", () => {
  it("reports notif and tasks as not enabled, and gives 404 for unknown services", async () => {
    for (const service of ["notif", "tasks"]) {
      const answer = await open(`${stack.platformBaseUrl}/embed/${service}?t=x`);
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain("service_not_enabled");
    }
    expect((await open(`${stack.platformBaseUrl}/embed/mail?t=x`)).status).toBe(404);
  });
});
