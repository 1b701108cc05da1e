import { expect, it } from "vitest";
import type { ServiceTools } from "../../embed/service";
import type { ObjectStore } from "../../providers/object-store.server";
import { presignUpload } from "./presign.server";

const objectStore = {
  presignPut: async ({ expiresInSeconds }: { expiresInSeconds: number }) => ({
    url: `https://store.example/?expires=${expiresInSeconds}`,
    headers: {},
  }),
} as unknown as ObjectStore;
const request = { requestId: "r", address: "/", callerAddress: "::1", deadline: Number.POSITIVE_INFINITY };
const toolsAt = (nowSeconds: number): ServiceTools => ({
  objectStore,
  request,
  nowSeconds,
  production: true,
  platformBaseUrl: "https://embed.example.com",
});
const upload = {
  token: "t",
  bucket: "b",
  folderPath: "/",
  fileName: "a.txt",
  contentType: "text/plain",
  ifNoneMatch: false,
};

it("signs no URL that has ended already when a token ends while its request is answered", async () => {
  const grant = { scope: { bucket: "b" }, expiresAt: 1_000 };
  expect((await presignUpload(upload, grant, toolsAt(999))).url).toBe("https://store.example/?expires=1");
  for (const late of [1_000, 1_003]) {
    await expect(presignUpload(upload, grant, toolsAt(late))).rejects.toMatchObject({
      code: "token_expired",
    });
  }
});
