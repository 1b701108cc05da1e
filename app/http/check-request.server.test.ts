import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import express from "express";
import { expect, it } from "vitest";
import { callerOf, checkRequest } from "./check-request.server";

it("takes an IPv4 address as it is, without a port, also where IPv6 wraps it", () => {
  for (const spelling of ["192.0.2.7", "192.0.2.7:4711", "::ffff:192.0.2.7", "[::ffff:192.0.2.7]:4711"]) {
    expect(callerOf(spelling)).toBe("192.0.2.7");
  }
  expect(callerOf("192.0.2.8")).toBe("192.0.2.8");
});

it("takes all of an IPv6 network for one caller, however its addresses are written", () => {
  const one = ["2001:db8:0:1::1", "2001:DB8:0:1:ffff:1:2:3", "2001:0db8::1:0:0:0:9", "[2001:db8:0:1::5]:443"];
  expect(new Set(one.map(callerOf))).toEqual(new Set(["2001:db8:0:1::/64"]));
  expect(callerOf("2001:db8:0:2::1")).toBe("2001:db8:0:2::/64");
  expect(callerOf("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
  expect(callerOf("::1")).toBe("0:0:0:0::/64");
});

it("makes something short of whatever else a proxy may send", () => {
  for (const text of [
    "unknown",
    "_hidden",
    "x".repeat(5000),
    ":",
    "::",
    "1::2::3",
    "%",
    "[",
    "[]",
    "a:b:c",
  ]) {
    expect(callerOf(text).length).toBeLessThanOrEqual(64);
  }
});

it.each([
  [true, "embed.example.com", "embed.example.com"],
  [true, "Embed.Example.com:8443, inner.example", "embed.example.com:8443"],
  [true, "", "own.example"],
  [true, "a b", "refused"],
  [false, "embed.example.com", "own.example"],
])("with TRUST_PROXY=%s, the host forwarded as %j is %s", async (trustProxy, forwarded, host) => {
  const app = express()
    .use(checkRequest({ trustProxy, production: true }))
    .use((request, response) => void response.send(request.headers.host));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const headers = { Host: "own.example", "X-Forwarded-Host": forwarded };
  const [response] = await once(
    request({ port, host: "127.0.0.1", path: "/icon.svg", headers }).end(),
    "response",
  );
  const seen = await text(response);
  server.close();
  expect(response.statusCode === 200 ? seen : "refused").toBe(host);
});
