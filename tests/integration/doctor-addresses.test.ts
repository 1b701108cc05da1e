/** Tests that `npm run doctor` names each misconfiguration of the base URLs. */
import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { makeDeployment } from "../support/app/deployment";
import { expectFinding, runDoctor } from "../support/app/doctor";
import { makeTestFolder } from "../support/databases/postgres";
import { findFreePort } from "../support/machine/free-port";

const stack = inject("stack");

let database: string;
beforeAll(async () => {
  ({ database } = await makeDeployment(stack));
});
const doctor = (changes?: Record<string, string | undefined>, ...words: string[]) =>
  runDoctor(stack, database, changes, words);
const only = (group: string) => ["--only", group];

/** Starts a proxy for `target` that replaces the Host header of every request. */
async function startProxy(target: string) {
  const server = createServer(async (request, response) => {
    const { hostname, port } = new URL(target);
    const headers = { ...request.headers, host: "inside.example" };
    const onward = httpRequest(
      { hostname, port, path: request.url, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
/** Starts an HTTPS server with a self-signed certificate. */
async function startSelfSigned() {
  const folder = await makeTestFolder();
  const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj", "/CN=localhost"];
  await promisify(execFile)("openssl", [...request, "-keyout", keyFile, "-out", certificateFile]);
  const [key, cert] = await Promise.all([readFile(keyFile), readFile(certificateFile)]);
  await rm(folder, { recursive: true });
  const server = createSecureServer({ key, cert }, (_, response) => response.end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
describe("the doctor finds of the base URLs", () => {
  it("that they do not answer", async () => {
    const port = await findFreePort();
    const API_BASE_URL = `http://127.0.0.1:${port}`;
    const report = await doctor({ API_BASE_URL }, ...only("addresses"));
    expect(report.code).toBe(1);
    expectFinding(report, "addresses.ready", "error", /API_BASE_URL does not answer/, /host in API_BASE_URL/);
    expectFinding(report, "addresses.ready", "ok", /localhost.* is ready/);
  });

  it("that they are swapped", async () => {
    const swapped = { API_BASE_URL: stack.platformBaseUrl, PLATFORM_BASE_URL: stack.apiBaseUrl };
    const report = await doctor(swapped, ...only("addresses"));
    expect(report.code).toBe(1);
    expectFinding(report, "addresses.hosts", "error", /swapped/, /Swap API_BASE_URL and PLATFORM_BASE_URL/);
  });

  it("a proxy that changes the host's name", async () => {
    const proxy = await startProxy(stack.apiBaseUrl);
    const report = await doctor({ API_BASE_URL: proxy.url }, ...only("addresses"));
    await proxy.close();
    expect(report.code).toBe(1);
    expectFinding(report, "addresses.ready", "ok", new RegExp(`${proxy.url} answers`));
    expectFinding(
      report,
      "addresses.hosts",
      "error",
      /reach the service with another host name/,
      /pass the Host header.*TRUST_PROXY/,
    );
  });

  it("a certificate that browsers do not trust", async () => {
    const server = await startSelfSigned();
    const report = await doctor({ PLATFORM_BASE_URL: server.url }, ...only("addresses"));
    await server.close();
    expect(report.code).toBe(1);
    const refused = /browsers refuse the certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\)/;
    expectFinding(report, "addresses.tls", "error", refused, /from an authority that browsers trust/);
    expectFinding(report, "addresses.ready", "error", /certificate of PLATFORM_BASE_URL is not valid/);
  });

  it("another service behind them", async () => {
    const report = await doctor({ PLATFORM_BASE_URL: stack.demoUrl }, ...only("addresses"));
    expectFinding(report, "addresses.ready", "error", /is not served by this service/, /PLATFORM_BASE_URL/);
    expectFinding(report, "addresses.script", "error", /platform-embed\.js is not served/, /npm run build/);
  });
});
