import { createSocket } from "node:dgram";
import { lookup, Resolver } from "node:dns/promises";
import { once } from "node:events";
import { request } from "node:https";
import { describe, expect, it } from "vitest";
import { isPublicAddress, issueOfUrl, lookupPublic, resolveBy } from "./public-address.server";

/** An IPv4 address of the name that was asked for. RFC 1035, section 4.1. */
const ADDRESS = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 8, 8, 8, 8];
/** The name is an alias of `x.` and itself. */
const ALIAS = [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 4, 1, 120, 0xc0, 12];

/** An address to a question for IPv4, and none to any other; to any question for a name that begins with `alias`, only that it is one. */
function answerTo(question: Buffer): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const isForV4 = question.readUInt16BE(end - 4) === 1;
  const record = firstLabel(question) === "alias" ? ALIAS : isForV4 ? ADDRESS : [];
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x81_80, 2);
  header.writeUInt16BE(record.length > 0 ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question.subarray(12, end), Buffer.from(record)]);
}

const firstLabel = (question: Buffer) => question.toString("latin1", 13, 13 + (question[12] ?? 0));

/** A name server of this machine, which is silent about names that begin with `silent`. @returns what asks it, and the first labels it was asked for */
async function startNameServer() {
  const server = createSocket("udp4");
  const asked: string[] = [];
  server.on("message", (question, { port, address }) => {
    const label = firstLabel(question);
    asked.push(label);
    if (label !== "silent") server.send(answerTo(question), port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  const resolver = new Resolver({ timeout: 30_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  const stop = () => {
    resolver.cancel();
    server.close();
  };
  return { resolver, asked, stop };
}

describe("isPublicAddress", () => {
  it.each(["8.8.8.8", "1.1.1.1", "2606:4700::1111", "2a00:1450:4001::1"])("accepts %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ["this machine", ["127.0.0.1", "127.255.0.1", "::1", "0.0.0.0", "::"]],
    [
      "private networks",
      ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fd00:ec2::254", "fc00::1", "fec0::1"],
    ],
    ["link-local addresses", ["169.254.169.254", "fe80::1", "fe80::1%eth0"]],
    ["a provider's network", ["100.64.0.1", "100.100.100.200", "168.63.129.16"]],
    ["multicast and broadcast", ["224.0.0.1", "255.255.255.255", "ff02::1"]],
    [
      "reserved ranges",
      ["192.0.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.1", "240.0.0.1", "2001:db8::1", "100::1"],
    ],
    [
      "IPv4 inside of IPv6",
      [
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::7f00:1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::",
        "2001:0:1::1",
      ],
    ],
    ["what is no address", ["", "localhost", "8.8.8.8.8", "2130706433x"]],
  ])("refuses %s", (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

describe("issueOfUrl", () => {
  const strict = { allowPrivate: false };

  it.each([
    "https://example.com/hooks?a=1",
    "https://example.com:8443/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    // The address is only known when the connection is made.
    "https://internal.example.com/",
  ])("accepts %s", (url) => expect(issueOfUrl(url, strict)).toBeNull());

  it.each([
    "http://example.com/",
    "ftp://example.com/",
    "example.com",
    "https://user@example.com/",
    "https://:secret@example.com/",
    "https://example.com/#part",
    "https://example.com:0/",
    "https://localhost/",
    "https://app.localhost/",
    "https://localhost./",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://169.254.169.254/latest/meta-data",
  ])("refuses %s", (url) => expect(issueOfUrl(url, strict)).toMatch(/^must /));

  it("allows http and private addresses where the deployment does", () => {
    expect(issueOfUrl("http://localhost:4000/hooks", { allowPrivate: true })).toBeNull();
    expect(issueOfUrl("ftp://localhost/", { allowPrivate: true })).toMatch(/^must begin/);
    expect(issueOfUrl("http://localhost:0/", { allowPrivate: true })).toBe("must not have the port 0");
  });
});

describe("lookupPublic", () => {
  const answer = (...addresses: string[]) =>
    lookupPublic((_name, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      ),
    );
  const ask = (look: ReturnType<typeof lookupPublic>, all: boolean, name = "example.com") =>
    new Promise((resolve) => look(name, { all }, (...result) => resolve(result)));

  it("gives the addresses that were checked", async () => {
    const look = answer("8.8.8.8", "2606:4700::1111");
    expect(await ask(look, false)).toEqual([null, "8.8.8.8", 4]);
    expect(await ask(look, true)).toEqual([
      null,
      [
        { address: "8.8.8.8", family: 4 },
        { address: "2606:4700::1111", family: 6 },
      ],
    ]);
  });

  it("refuses a name of which one address is not public", async () => {
    for (const all of [true, false])
      for (const look of [answer("8.8.8.8", "10.0.0.1"), answer("::1")])
        expect(await ask(look, all)).toMatchObject([{ name: "PrivateAddressError" }, ""]);
  });

  it("refuses this machine, and names that do not exist, and asks the name servers itself", async () => {
    const refused = [{ message: expect.any(String) }, ""];
    expect(await ask(lookupPublic(), true, "localhost")).toMatchObject(refused);
    expect(await ask(lookupPublic(), true, "name.invalid")).toMatchObject([{ syscall: "queryA" }, ""]);
  });

  it("fails the connection to a name without addresses, as one whose CNAME leads to nothing", async () => {
    const { resolver, stop } = await startNameServer();
    const lookup = lookupPublic(resolveBy(resolver));
    try {
      const opened = request("https://alias.example.com/", { agent: false, lookup });
      await expect(once(opened.end(), "response")).rejects.toMatchObject({ code: "ENOTFOUND" });
      for (const all of [true, false])
        expect(await ask(lookup, all, "alias.example.com")).toMatchObject([{ code: "ENOTFOUND" }, ""]);
    } finally {
      stop();
    }
  });

  it("tells the connection what failed in its callback, and not the process", async () => {
    const { resolver, stop } = await startNameServer();
    const told: unknown[] = [];
    await new Promise<void>((end) =>
      resolveBy(resolver)("public.example.com", { all: true }, (error) => {
        told.push(error);
        if (error !== null) return end();
        throw new Error("the callback failed");
      }),
    );
    stop();
    expect(told).toMatchObject([null, { message: "the callback failed" }]);
  });

  it("looks other names up while the name servers of receivers are silent", async () => {
    const { resolver, asked, stop } = await startNameServer();
    const look = lookupPublic(resolveBy(resolver));
    const silent = Array.from({ length: 10 }, () => ask(look, true, "silent.example.com"));
    try {
      await expect.poll(() => asked.filter((name) => name === "silent").length).toBeGreaterThan(0);
      const system = await lookup("localhost");
      expect(system.address).toMatch(/^(127\.0\.0\.1|::1)$/);
      expect(await ask(look, true, "public.example.com")).toEqual([
        null,
        [{ address: "8.8.8.8", family: 4 }],
      ]);
    } finally {
      stop();
    }
    expect(await Promise.all(silent)).toMatchObject(Array(10).fill([{ code: "ECANCELLED" }, ""]));
  });
});
