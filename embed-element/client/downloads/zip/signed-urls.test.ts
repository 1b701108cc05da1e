import { expect, it } from "vitest";
import { type SignedDownload, type StoredFile, signDownloads } from "./signed-urls";

const entries = ["a.txt", "b.txt"].map((name) => ({
  path: `docs/${name}`,
  key: `x/docs/${name}`,
  size: 1,
  etag: "",
  modified: 0,
}));
const clientOf = (downloads: SignedDownload[], asked: StoredFile[] = []) => ({
  secondsUntil: (moment: number) => moment - 1_000,
  async urls(files: readonly StoredFile[]) {
    asked.push(...files);
    return { downloads, expiresAt: 1_300 };
  },
});
const { signal } = new AbortController();

it("hands over the URLs, and for how long they serve by the server's clock", async () => {
  const sign = signDownloads(clientOf([{ key: "x/docs/a.txt", url: "https://store.example/a" }]), entries);
  expect(await sign(["x/docs/a.txt"], signal)).toEqual({
    urls: ["https://store.example/a"],
    validForMs: 300_000,
  });
});

it("names a file that may not be read, by its path in the archive", async () => {
  const sign = signDownloads(clientOf([{ key: "x/docs/b.txt", error: "scope_not_allowed" }]), entries);
  await expect(sign(["x/docs/b.txt"], signal)).rejects.toMatchObject({
    code: "scope_not_allowed",
    path: "docs/b.txt",
  });
});

it("signs the versions that the entries name", async () => {
  const asked: StoredFile[] = [];
  const client = clientOf([], asked);
  const [a, b] = entries.map((entry, index) => (index === 0 ? { ...entry, versionId: "v-1" } : entry));
  await signDownloads(client, [a, b] as typeof entries)(["x/docs/a.txt", "x/docs/b.txt"], signal);
  expect(asked).toEqual([{ key: "x/docs/a.txt", versionId: "v-1" }, { key: "x/docs/b.txt" }]);
});
