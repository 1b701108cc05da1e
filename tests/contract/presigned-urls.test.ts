import { GetObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, type Endpoint, getText, openEndpoint, presignGet, presignPut, putText } from "./endpoint";

let endpoint: Endpoint;

beforeAll(async () => {
  endpoint = await openEndpoint();
});
afterAll(() => endpoint?.close());

function upload(url: string, body: string, headers: Record<string, string>): Promise<Response> {
  return fetch(url, { method: "PUT", body, headers });
}

describe("a presigned upload", () => {
  it("stores the bytes and the content type, and responds with an ETag", async () => {
    const key = `${endpoint.prefix}report.pdf`;
    const { url, headers } = await presignPut(endpoint, key);
    const answer = await upload(url, "%PDF", headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("etag")).toMatch(/^"[0-9a-f]{32}"$/);
    expect(answer.headers.get("x-amz-request-id")).toBeTruthy();

    const download = await fetch(await presignGet(endpoint, key));
    // What it was stored as is told to us; whoever opens the URL gets the type that was signed into it.
    const { bucket, product } = endpoint;
    expect(await product.describeObject({ bucket, key })).toMatchObject({ contentType: "application/pdf" });
    expect(download.headers.get("content-type")).toBe("application/octet-stream");
    expect(await download.text()).toBe("%PDF");
  });

  it("is refused with a content type that was not signed, or none", async () => {
    const key = `${endpoint.prefix}typed`;
    const { url, headers } = await presignPut(endpoint, key);
    for (const contentType of ["text/html", ""]) {
      const answer = await upload(url, "<script>", { ...headers, "Content-Type": contentType });
      expect(answer.status).toBe(403);
      expect(await codeOf(answer)).toBe("SignatureDoesNotMatch");
    }
    await expect(getText(endpoint, key)).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("is refused with a length that was not signed, shorter or longer", async () => {
    const key = `${endpoint.prefix}measured`;
    const { url, headers } = await presignPut(endpoint, key, { size: 4 });
    for (const body of ["%PD", "%PDF+"]) {
      const answer = await upload(url, body, headers);
      expect(answer.status).toBe(403);
      expect(await codeOf(answer)).toBe("SignatureDoesNotMatch");
    }
    expect((await upload(url, "%PDF", headers)).status).toBe(200);
    expect(await getText(endpoint, key)).toBe("%PDF");
  });

  it("is refused with headers that were not signed: a copy source, an ACL, metadata", async () => {
    await putText(endpoint, `${endpoint.prefix}secret`, "not for this uploader");
    const { bucket, prefix, product } = endpoint;
    const key = `${prefix}escape`;
    const upload = await product.createUpload({ bucket, key, contentType: "a/b", uploadMark: "m" });
    const part = await product.presignPart(upload, { number: 1, size: 4, checksum: undefined }, 300);
    const file = await presignPut(endpoint, key, { size: 4 });
    const unsigned = {
      "x-amz-copy-source": `/${bucket}/${encodeURIComponent(`${prefix}secret`)}`,
      "x-amz-acl": "public-read",
      "x-amz-meta-platform-embed-upload": "another",
    };
    for (const [name, value] of Object.entries(unsigned)) {
      for (const { url, headers } of [file, part]) {
        const sent = { ...headers, [name]: value };
        const answer = await fetch(url, { method: "PUT", body: "mine", headers: sent });
        expect([name, answer.status, await codeOf(answer)]).toEqual([name, 403, "AccessDenied"]);
      }
    }
    await expect(getText(endpoint, key)).rejects.toMatchObject({ name: "NoSuchKey" });
    expect(await product.listParts(upload)).toEqual([]);
    await product.abortUpload(upload);
  });

  it("is refused for another key", async () => {
    const { url, headers } = await presignPut(endpoint, `${endpoint.prefix}mine`);
    const answer = await upload(url.replace("/mine?", "/yours?"), "%PDF", headers);
    expect(answer.status).toBe(403);
    await expect(getText(endpoint, `${endpoint.prefix}yours`)).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("never overwrites with If-None-Match: * (a store without conditional writes responds with 501)", async () => {
    const key = `${endpoint.prefix}once`;
    const { url, headers } = await presignPut(endpoint, key, { ifNoneMatch: true });
    const first = await upload(url, "first", headers);
    if (endpoint.foreign && first.status === 501) {
      console.info("This endpoint has no conditional writes.");
      expect(await codeOf(first)).toBe("NotImplemented");
      return;
    }
    expect(first.status).toBe(200);
    const second = await upload(url, "second", headers);
    expect(second.status).toBe(412);
    expect(await codeOf(second)).toBe("PreconditionFailed");
    const { "If-None-Match": condition, ...unconditional } = headers;
    expect(condition).toBe("*");
    expect((await upload(url, "third", unconditional)).status).toBe(403);
    expect(await getText(endpoint, key)).toBe("first");
  });

  it("succeeds for exactly one of several concurrent requests with If-None-Match: *", async () => {
    const key = `${endpoint.prefix}raced`;
    const { url, headers } = await presignPut(endpoint, key, { ifNoneMatch: true });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, number) => upload(url, `body ${number}`, headers)),
    );
    const statuses = answers.map((answer) => answer.status);
    if (endpoint.foreign && statuses.every((status) => status === 501)) return;
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412 || status === 409)).toHaveLength(7);
    expect(await getText(endpoint, key)).toBe(`body ${statuses.indexOf(200)}`);
  });
});

describe("a presigned download", () => {
  it("responds with the signed file name", async () => {
    const key = `${endpoint.prefix}named`;
    await putText(endpoint, key);
    const disposition = `attachment; filename="rapport dete.pdf"; filename*=UTF-8''rapport%20d%27%C3%A9t%C3%A9%20%F0%9F%8C%9E.pdf`;
    const answer = await fetch(await presignGet(endpoint, key, disposition));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-disposition")).toBe(disposition);
  });

  it("can be asked for a range", async () => {
    const key = `${endpoint.prefix}ranged`;
    await putText(endpoint, key, "0123456789");
    const url = await presignGet(endpoint, key);
    const part = await fetch(url, { headers: { range: "bytes=2-4" } });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe("bytes 2-4/10");
    expect(await part.text()).toBe("234");
    expect((await fetch(url, { headers: { range: "bytes=10-" } })).status).toBe(416);
  });

  it("of a missing key responds with 404", async () => {
    const answer = await fetch(await presignGet(endpoint, `${endpoint.prefix}missing`));
    expect(answer.status).toBe(404);
    expect(await codeOf(answer)).toBe("NoSuchKey");
  });

  it("is refused once it has expired", async () => {
    const key = `${endpoint.prefix}late`;
    await putText(endpoint, key);
    // By the SDK: the product signs by the store's clock, whatever ours says.
    const get = new GetObjectCommand({ Bucket: endpoint.bucket, Key: key });
    const signingDate = new Date(Date.now() - 301_000);
    const url = await getSignedUrl(endpoint.client, get, { expiresIn: 300, signingDate });
    const answer = await fetch(url);
    expect(answer.status).toBe(403);
    // S3 documents the code, and no message.
    expect(await codeOf(answer)).toBe("AccessDenied");
  });

  it("is refused when any part of it is changed", async () => {
    const key = `${endpoint.prefix}kept`;
    await putText(endpoint, key);
    await putText(endpoint, `${key}-2`);
    const url = new URL(await presignGet(endpoint, key));
    expect((await fetch(url)).status).toBe(200);

    for (const name of url.searchParams.keys()) {
      const changed = new URL(url);
      changed.searchParams.set(name, change(url.searchParams.get(name) ?? ""));
      await expectRefusal(changed, `${name} changed`);
      const without = new URL(url);
      without.searchParams.delete(name);
      await expectRefusal(without, `${name} left out`);
    }
    const otherKey = new URL(url);
    otherKey.pathname += "-2";
    await expectRefusal(otherKey, "another key");
    const added = new URL(url);
    added.searchParams.set("response-content-type", "text/html");
    await expectRefusal(added, "a parameter added");
    const unsigned = new URL(url);
    unsigned.search = "";
    await expectRefusal(unsigned, "no signature at all");
    for (const method of ["PUT", "DELETE", "HEAD"]) {
      expect((await fetch(url, { method })).status, method).toBe(403);
    }
    expect(await getText(endpoint, key)).toBe(key);
  });
});

/** Another text of the same length and alphabet. */
function change(value: string): string {
  const last = value.at(-1) ?? "";
  return value.slice(0, -1) + (/[0-8]/.test(last) ? String(Number(last) + 1) : last === "a" ? "b" : "a");
}

async function expectRefusal(url: URL, what: string): Promise<void> {
  const answer = await fetch(url);
  expect([400, 403], `${what}: ${await answer.text()}`).toContain(answer.status);
}
