import { expect, it, vi } from "vitest";
import { BUCKET, CREDENTIALS, signedWith, startStoreForTests } from "../../tests/support/files/object-store";
import { createObjectStore } from "./object-store.server";

it("a folder is an object of no bytes, whose length is said, and is made once", async () => {
  const lengths: (string | undefined)[] = [];
  const local = await startStoreForTests({
    intercept({ method, key, headers }) {
      if (method === "PUT" && key !== "") lengths.push(headers["content-length"]);
      return undefined;
    },
  });
  const warned = vi.spyOn(console, "warn");
  const { endpoint } = local;
  const store = createObjectStore({
    ...signedWith(CREDENTIALS),
    endpoint,
    forcePathStyle: true,
    timeoutSeconds: 10,
  });
  const folder = { bucket: BUCKET, key: "a/b/" };
  await store.createFolder(folder);
  expect(await store.describeObject(folder)).toMatchObject({ size: 0, uploadMark: undefined });
  await expect(store.createFolder(folder)).rejects.toMatchObject({ code: "name_taken" });
  expect(lengths).toEqual(["0", "0"]);
  // The SDK warns of a body whose length it does not know.
  expect(warned).not.toHaveBeenCalled();
  await local.close();
});

it("no name of a bucket leads to another host, or to a directive of a Content-Security-Policy", async () => {
  const names = [
    "a; script-src *",
    "store.example.evil.example",
    "evil.example#",
    "evil.example:8443",
    "evil.example/",
  ];
  const hostile = [
    ...names,
    "user@evil.example",
    "https://evil.example",
    "a\\b",
    "*",
    "x?y",
    "[::1]",
    "a\r\nb",
  ];
  for (const forcePathStyle of [true, false]) {
    const settings = {
      ...signedWith(CREDENTIALS),
      endpoint: "https://store.example",
      forcePathStyle,
      timeoutSeconds: 10,
    };
    const store = createObjectStore(settings);
    for (const bucket of hostile) {
      const origin = await store.originOf(bucket).catch(() => null);
      expect(origin ?? "https://store.example", bucket).toBe("https://store.example");
    }
  }
});
