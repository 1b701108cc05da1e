import { expect, test, vi } from "vitest";
import { createFilesClient } from "./files-client";
import { realWorld, type World } from "./world";
import { recordChannel, type StoredRecord } from "./world-storage";

const created = { upload: "handle", key: "film.mp4", partSize: 2 ** 23, partCount: 2, checksum: "CRC32" };

/** What the platform responds, by operation. */
const responses: Record<string, (body: { parts: { number: number }[] }) => object> = {
  "multipart/find": () => ({ upload: null }),
  "multipart/create": () => ({ ...created, integrity: "checksum" }),
  "multipart/sign": ({ parts }) => ({
    parts: parts.map(({ number }) => ({ number, url: `https://store.example/${number}`, headers: {} })),
    expiresAt: Date.now() / 1000 + 300,
    serverTime: 0,
  }),
};

/** A world in which the first part is stored, and the others never are. */
function openWorld() {
  const channel = new BroadcastChannel("files-client.test");
  const close = vi.spyOn(channel, "close");
  const records = new Map<string, StoredRecord>();
  const aborted: string[] = [];
  let sending = 0;
  const world: World = {
    ...realWorld,
    fetch: async (url, { body }) =>
      Response.json(responses[url.replace(/^.*storage\//, "")]?.(JSON.parse(String(body))) ?? {}),
    send: ({ url, signal }) => {
      if (url.endsWith("/1")) return Promise.resolve({ status: 200, body: "", header: () => null });
      sending++;
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted.push(url);
          reject(signal.reason);
        });
      });
    },
    storage: {
      all: async () => [...records.values()],
      put: async (record) => void records.set(record.id, record),
      delete: async (id) => void records.delete(id),
      openChannel: () => recordChannel(channel),
    },
  };
  return { world, records, close, aborted, sending: () => sending };
}

test("a closed client stops sending, leaves the upload to the next one, and takes no more files", async () => {
  const { world, records, close, aborted, sending } = openWorld();
  const files = createFilesClient({
    bucket: "b",
    world,
    tokens: { freshToken: async () => "t", reportExpired() {} },
  });
  void files.uploads.add([new File([new Uint8Array(2 ** 24)], "film.mp4")], "/");
  await vi.waitFor(() => expect([sending(), records.size]).toEqual([1, 1]), { timeout: 10_000 });
  files.close();
  expect(aborted).toHaveLength(1);
  expect(close).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(files.uploads.getState().uploads).toMatchObject([{ status: "paused" }]));
  expect(records.size, "is kept").toBe(1);
  expect(await files.uploads.add([new File(["bytes"], "a.txt")], "/")).toEqual([]);
});
