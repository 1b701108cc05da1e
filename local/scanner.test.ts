import { GetObjectTaggingCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BUCKET as Bucket, CREDENTIALS, startStoreForTests } from "../tests/support/files/object-store";
import { CLEAN, EICAR, INFECTED, SCAN_TAG, Scanner } from "./scanner";

let store: Awaited<ReturnType<typeof startStoreForTests>>;
let scanner: Scanner;
beforeAll(async () => {
  store = await startStoreForTests({ onStored: (stored) => scanner.onStored(stored) });
  const objectStore = { endpoint: store.endpoint, bucket: Bucket, ...CREDENTIALS };
  scanner = new Scanner({ objectStore, scanAfterMs: 0 });
});
afterAll(async () => {
  scanner?.close();
  await store?.close();
});

const put = (Key: string, Body: string, Tagging?: string) =>
  store.client.send(new PutObjectCommand({ Bucket, Key, Body, ContentLength: Body.length, Tagging }));
const tagsOf = async (Key: string) => {
  const { TagSet = [] } = await store.client.send(new GetObjectTaggingCommand({ Bucket, Key }));
  return Object.fromEntries(TagSet.map(({ Key: name, Value }) => [name, Value]));
};

it("tags what was there before it started, and what is stored later, and keeps other tags", async () => {
  await put("before", "text", "kind=letter");
  expect(await tagsOf("before")).toEqual({ kind: "letter" });
  scanner.start();
  await put("empty", "");
  await put("virus.com", EICAR);
  await expect.poll(() => tagsOf("before")).toEqual({ kind: "letter", [SCAN_TAG]: CLEAN });
  await expect.poll(() => tagsOf("empty")).toEqual({ [SCAN_TAG]: CLEAN });
  await expect.poll(() => tagsOf("virus.com")).toEqual({ [SCAN_TAG]: INFECTED });
});

it("knows the real test file", () => {
  expect(EICAR).toHaveLength(68);
});
