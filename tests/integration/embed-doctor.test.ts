/** Runs the built `npx platform-embed-element doctor` on pages of the real platform. Each check has a case in one table. */
import { execFile } from "node:child_process";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { examine } from "../../embed-element/doctor/examine";
import type { Finding } from "../../embed-element/doctor/report";
import { EMBED_TAG, type Integrator, pageWith, startIntegrator } from "../e2e/integrator";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";

const stack = inject("stack");
const other = "https://other.example";
let integrator: Integrator;
beforeAll(async () => {
  integrator = await startIntegrator(stack);
});
afterAll(() => integrator?.close());
beforeEach(() => {
  integrator.pages.set("/", pageWith(stack, EMBED_TAG));
  integrator.headers = {};
  integrator.respond = integrator.grant;
  integrator.asks = {};
});

const page = (body: string) => integrator.pages.set("/", body);
const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
/** Issues an embed URL and applies changes to the response. */
const changed =
  (change: (issued: { url: string; expiresAt: number; service: string }) => object) =>
  async (response: ServerResponse) =>
    answer(200, change(await integrator.issue()))(response);

async function examined(
  question: { endpoint?: string; headers?: Record<string, string> } = {},
): Promise<Finding[]> {
  const asked = { page: new URL(integrator.origin), headers: {}, timeoutMs: 20_000, ...question };
  return examine(asked);
}

it("finds nothing wrong with a page that works", async () => {
  const findings = await examined();
  expect(findings.filter(({ status }) => status !== "ok")).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual([
    ...["page.status", "page.tag", "page.referrer", "page.script", "endpoint.status", "endpoint.fields"],
    ...["token.length", "page.frame-src", "token.origins", "token.time", "clock", "frame.framing"],
  ]);
});

it("finds nothing wrong with a page whose bundle has the element, if its endpoint is named", async () => {
  page('<platform-embed style="height: 600px"></platform-embed>');
  const findings = await examined({ endpoint: "/embed-url" });
  expect(findings.filter(({ status }) => status !== "ok")).toEqual([]);
});

it("says once that the page's origin is missing, although the platform refuses the frame for it, too", async () => {
  const client = await makeEmbedClient(stack, { bucket: integrator.bucket.name, origins: [other] });
  integrator.respond = async (response) => answer(200, await issueEmbedUrl(stack, client))(response);
  const findings = await examined();
  expect(findings.filter(({ status }) => status !== "ok").map(({ check }) => check)).toEqual([
    "token.origins",
  ]);
});

it("says that the frame cannot show a bucket that does not exist", async () => {
  const client = await makeEmbedClient(stack, { bucket: "no-such-bucket", origins: [integrator.origin] });
  integrator.respond = async (response) => answer(200, await issueEmbedUrl(stack, client))(response);
  const [found, ...others] = (await examined()).filter(({ status }) => status !== "ok");
  expect(found).toMatchObject({ check: "frame.content", status: "error" });
  expect(`${found?.message} ${found?.remedy}`).toMatch(
    /cannot show its content.*bucket exist.*npm run doctor/,
  );
  expect(others).toEqual([]);
});

describe("names what to change", () => {
  const platform = stack.platformBaseUrl;
  const tag = (attributes: string) => pageWith(stack, `<platform-embed ${attributes}></platform-embed>`);
  const cases: [what: string, arrange: () => void, check: string, status: Finding["status"], says: RegExp][] =
    [
      [
        "a tag without an endpoint",
        () => page(tag("")),
        "endpoint.status",
        "error",
        /names no token endpoint.*--endpoint/s,
      ],
      [
        "a tag whose bundle sets its endpoint",
        () => page('<platform-embed style="height:600px"></platform-embed>'),
        "endpoint.status",
        "warning",
        /names no token endpoint.*bundle.*--endpoint/s,
      ],
      [
        "a tag without its script",
        () => page('<platform-embed token-endpoint="/embed-url"></platform-embed>'),
        "page.script",
        "warning",
        /names no platform-embed\.js.*bundle.*customElements\.get/s,
      ],
      [
        "an attribute that is misspelled",
        () => page(tag('token-endpoint="/embed-url" heigth="auto"')),
        "page.tag",
        "warning",
        /heigth.*Did you mean height\?/s,
      ],
      [
        "a path outside of the token's scope",
        () => {
          page(tag('token-endpoint="/embed-url" path="/invoices"'));
          integrator.asks = { scope: { path: "/docs" } };
        },
        "page.path",
        "error",
        /\/invoices, is outside of the token's \/docs/,
      ],
      [
        "a path that is none",
        () => page(tag('token-endpoint="/embed-url" path="docs/"')),
        "page.path",
        "error",
        /docs\/, is not a folder path.*Begin with a slash/s,
      ],
      ["no tag", () => page("<p>Nothing"), "page.tag", "warning", /no <platform-embed>.*--endpoint/s],
      [
        "a scope that is no JSON",
        () => page(tag('token-endpoint="/embed-url" scope="[object Object]"')),
        "page.tag",
        "error",
        /\[object Object\].*'\{"bucket"/s,
      ],
      [
        "no-referrer",
        () => {
          page("<p>Nothing");
          integrator.headers = { "Referrer-Policy": "no-referrer" };
        },
        "page.referrer",
        "warning",
        /no-referrer.*strict-origin/s,
      ],
      [
        "frame-src",
        () => {
          integrator.headers = { "Content-Security-Policy": `frame-src 'self' ${other}` };
        },
        "page.frame-src",
        "error",
        new RegExp(`"frame-src 'self' ${other}".*Add ${platform} to frame-src`, "s"),
      ],
      [
        "default-src",
        () => {
          integrator.headers = { "Content-Security-Policy": "default-src 'self'" };
        },
        "page.frame-src",
        "error",
        /"default-src 'self'"/,
      ],
      [
        "script-src",
        () => {
          integrator.headers = { "Content-Security-Policy": "script-src 'self'" };
        },
        "page.script-src",
        "error",
        new RegExp(`Add ${platform} to script-src`),
      ],
      [
        "connect-src",
        () => {
          integrator.headers = { "Content-Security-Policy": `connect-src ${platform}` };
        },
        "page.connect-src",
        "error",
        /Add 'self' to connect-src/,
      ],
      [
        "sandbox",
        () => {
          integrator.headers = { "Content-Security-Policy": "sandbox allow-scripts" };
        },
        "page.sandbox",
        "error",
        /allow-same-origin/,
      ],
      [
        "a policy in the page",
        () =>
          page(
            pageWith(
              stack,
              `<meta http-equiv="content-security-policy" content="frame-src 'none'">${EMBED_TAG}`,
            ),
          ),
        "page.frame-src",
        "error",
        /frame-src 'none'/,
      ],
      [
        "an embedder policy",
        () => {
          integrator.headers = { "Cross-Origin-Embedder-Policy": "credentialless" };
        },
        "page.embedder-policy",
        "warning",
        /credentialless.*Cross-Origin-Opener-Policy.*Safari/s,
      ],
      [
        "an embedder policy that keeps the script away",
        () => {
          integrator.headers = { "Cross-Origin-Embedder-Policy": "require-corp" };
          page(`<script src="${silent}/platform-embed.js"></script>${EMBED_TAG}`);
        },
        "page.script",
        "error",
        /require-corp.*crossorigin/s,
      ],
      [
        "a version that is not there",
        () => page(`<script src="${platform}/platform-embed@9.9.9.js"></script>${EMBED_TAG}`),
        "page.script",
        "error",
        /9\.9\.9.*status 404.*platform-embed@\d/s,
      ],
      [
        "another hash",
        () =>
          page(
            `<script src="${platform}/platform-embed.js" crossorigin integrity="sha384-AAAA"></script>${EMBED_TAG}`,
          ),
        "page.script",
        "error",
        /integrity="sha384-[\w+/]{64}"/,
      ],
      [
        "a session that is missing",
        () => {
          integrator.respond = answer(401, { code: "not_signed_in" });
        },
        "endpoint.status",
        "error",
        /status 401 and not_signed_in.*--header/s,
      ],
      [
        "a wrong key",
        () => {
          integrator.respond = answer(502, { code: "invalid_api_key", error: "No." });
        },
        "endpoint.status",
        "error",
        /502 and invalid_api_key: No\..*API key that is live/s,
      ],
      [
        "a setting that is missing",
        () => {
          integrator.respond = answer(502, { code: "configuration_invalid", error: "apiKey is empty." });
        },
        "endpoint.status",
        "error",
        /apiKey is empty\..*Set what the message names/s,
      ],
      [
        "a sign-in page",
        () => {
          integrator.respond = (response) => response.writeHead(302, { Location: "/sign-in?next=x" }).end();
        },
        "endpoint.status",
        "error",
        /redirects to \/sign-in\.\s.*401/s,
      ],
      [
        "a sign-in page with status 200",
        () => {
          integrator.respond = (response) =>
            response.writeHead(200, { "Content-Type": "text/html" }).end("<p>");
        },
        "endpoint.fields",
        "error",
        /text\/html.*401/s,
      ],
      [
        "GET only",
        () => {
          integrator.respond = answer(405, {});
        },
        "endpoint.status",
        "error",
        /405.*POST/s,
      ],
      [
        "no url",
        () => {
          integrator.respond = answer(200, { token: "x" });
        },
        "endpoint.fields",
        "error",
        /has no url/,
      ],
      [
        "milliseconds",
        () => {
          integrator.respond = changed((issued) => ({ ...issued, expiresAt: issued.expiresAt * 1000 }));
        },
        "endpoint.fields",
        "error",
        /unix seconds/,
      ],
      [
        "another service",
        () => {
          integrator.respond = changed((issued) => ({ ...issued, service: "tasks" }));
        },
        "endpoint.fields",
        "error",
        /service tasks.*asks for files/s,
      ],
      [
        "a cache",
        () => {
          integrator.respond = async (response) =>
            answer(200, await integrator.issue(), { "Cache-Control": "public, max-age=60" })(response);
        },
        "endpoint.cache",
        "error",
        /no-store/,
      ],
      [
        "a long URL",
        () => {
          integrator.respond = changed((issued) => ({
            ...issued,
            url: `${issued.url}&x=${"x".repeat(8_000)}`,
          }));
        },
        "token.length",
        "error",
        /8\d{3} characters.*origin/s,
      ],
      [
        "a token that is no more",
        () => {
          integrator.respond = changed((issued) => ({
            ...issued,
            url: issued.url.replace(/t=[^.]+/, `t=${forged({ iat: 1_000_000_000, exp: 1_000_000_900 })}`),
          }));
        },
        "token.time",
        "error",
        /ended \d+ s ago/,
      ],
      [
        "a token of another origin",
        () => {
          integrator.respond = changed((issued) => ({
            ...issued,
            url: issued.url.replace(/t=[^.]+/, `t=${forged({ origins: [other] })}`),
          }));
        },
        "token.origins",
        "error",
        new RegExp(`token is for ${other}.*origins add ID http://127`, "s"),
      ],
      [
        "a token that was changed",
        () => {
          integrator.respond = changed((issued) => ({ ...issued, url: issued.url.slice(0, -4) }));
        },
        "frame.status",
        "error",
        /401 and invalid_token/,
      ],
      [
        "a platform that is down",
        () => {
          integrator.respond = changed((issued) => ({
            ...issued,
            url: issued.url.replace(platform, "http://127.0.0.1:1"),
          }));
        },
        "frame.status",
        "error",
        /127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/,
      ],
      [
        "a proxy's X-Frame-Options",
        () => {
          integrator.respond = changed((issued) => ({
            ...issued,
            url: issued.url.replace(platform, silent),
          }));
        },
        "frame.framing",
        "error",
        /X-Frame-Options: DENY/,
      ],
    ];
  it.each(cases)("%s", async (_, arrange, check, status, says) => {
    arrange();
    const findings = await examined();
    const found = findings.filter((finding) => finding.check === check && finding.status === status);
    expect(
      found.map(({ message, remedy }) => `${message}\n${remedy}`).join("\n"),
      JSON.stringify(findings, null, 1),
    ).toMatch(says);
  });

  it("an endpoint of another origin without CORS, which gets no cookie", async () => {
    let cookie: string | undefined = "none yet";
    const elsewhere = createServer((request, response) => {
      cookie = request.headers.cookie;
      answer(200, {})(response);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const findings = await examined({
      endpoint: `http://127.0.0.1:${port}/token`,
      headers: { Cookie: "session=abcdefgh" },
    });
    elsewhere.close();
    expect(findings).toContainEqual(expect.objectContaining({ check: "endpoint.cors", status: "error" }));
    expect(cookie).toBeUndefined();
  });
});

/** Makes a payload with an invalid signature. */
function forged(change: object): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { origins: [integrator.origin], svc: "files", iat: now, exp: now + 900, ...change };
  return Buffer.from(JSON.stringify(payload)).toString("base64url");
}

/** Responds like a platform behind a proxy that does not know about frames. */
let silent = "";
let proxy: Server;
beforeAll(async () => {
  proxy = createServer((_, response) =>
    response.writeHead(200, { "X-Frame-Options": "DENY", "Content-Type": "text/javascript" }).end(),
  );
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  silent = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(() => proxy?.close());

describe("the command", () => {
  const run = (...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) =>
      execFile(process.execPath, ["embed-element/dist/cli.js", ...words], (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      ),
    );
  afterEach(() => {
    integrator.respond = integrator.grant;
  });

  it("exits with 0 if nothing is wrong, and prints no token", async () => {
    let token = "";
    integrator.respond = changed((issued) => {
      token = new URL(issued.url).searchParams.get("t") ?? "";
      return issued;
    });
    const { code, stdout } = await run("doctor", integrator.origin);
    expect(stdout).toMatch(/\d+ ok, 0 errors, 0 warnings\.\n$/);
    expect(code).toBe(0);
    expect(token).not.toBe("");
    expect(stdout).not.toContain(token.slice(0, 20));
  });

  it("exits with 1 if something is wrong, prints JSON, and prints no cookie", async () => {
    const { headers } = integrator;
    integrator.respond = answer(500, { error: "No session abcdefgh1 here" });
    const { code, stdout } = await run(
      "doctor",
      integrator.origin,
      "--json",
      "--header",
      "Cookie: session=abcdefgh1",
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ check: "endpoint.status", status: "error" }),
    );
    expect(stdout).not.toContain("abcdefgh1");
    expect(headers).toEqual({});
  });

  it.each([[["doctor"]], [["doctor", "nowhere"]], [["cure", "https://a.example"]], [["--unknown"]], [[]]])(
    "exits with 2 where it is not understood: %j",
    async (words) => expect((await run(...words)).code).toBe(2),
  );

  it("prints its usage", async () => {
    const { code, stdout } = await run("--help");
    expect(code).toBe(0);
    expect(stdout).toContain("--header");
  });
});
