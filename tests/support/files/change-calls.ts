/** Calls the endpoints that copy, move, delete and restore until they are done, and reads the bucket's content. */
import {
  DeleteObjectCommand,
  HeadObjectCommand,
  PutBucketVersioningCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { scopeActions } from "../../../app/services/files/place/actions";
import type { Copied, Deleted } from "../../../app/services/files/place/contract/changes-contract.server";
import { mapConcurrently } from "../../../app/shared/map-concurrently";
import type { StackInfo } from "../../../local/stack-info";
import { issueEmbedUrl, makeEmbedClient } from "../app/embed-client";
import { makeBucket, openBucket } from "./bucket";

export type ChangeCalls = Awaited<ReturnType<typeof openChanges>>;
export type Change = "copy" | "move" | "delete" | "restore" | "purge";
type Answer = Partial<Omit<Copied & Deleted, "failed" | "undo">> & {
  failed?: { key: string; code: string }[];
  undo?: string | null;
  restored?: number;
  purged?: number;
} & { code?: string; issues?: { path: string; message: string }[] };

/**
 * @param send sends a request to the app; the default is `fetch`
 * @param name an existing bucket; the default is a new one
 */
export async function openChanges(
  stack: StackInfo,
  send: (url: string, init: RequestInit) => Promise<Response> = fetch,
  name?: string,
) {
  const bucket = name === undefined ? await makeBucket(stack) : openBucket(stack.objectStore, name);
  const files = { actions: [...scopeActions] };
  const client = await makeEmbedClient(stack, { bucket: bucket.name, files });
  const tokenOf = async (scope: object) => (await issueEmbedUrl(stack, client, { scope })).token;
  const token = await tokenOf({ actions: scopeActions });
  const { endpoint, region, ...credentials } = stack.objectStore;
  const store = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const Bucket = bucket.name;

  async function ask(
    what: Change | "create-folder",
    body: object,
  ): Promise<{ status: number; body: Answer }> {
    const response = await send(`${stack.platformBaseUrl}/api/embed/storage/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: bucket.name, ...body }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Repeats the request until nothing is left to do. @throws Error when a response is not a success */
  async function change(what: Change, body: object) {
    const total = { done: 0, failed: [], conflicts: [], undo: [] } as {
      done: number;
      failed: { key: string; code: string }[];
      conflicts: Copied["conflicts"];
      undo: string[];
    };
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const response = await ask(what, { ...body, ...(cursor && { cursor }) });
      if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(response.body)}`);
      const { done = 0, failed = [], conflicts = [], undo } = response.body;
      total.done += done;
      total.failed.push(...failed);
      total.conflicts.push(...conflicts);
      if (undo) total.undo.push(undo);
      cursor = response.body.cursor ?? null;
    }
    return total;
  }

  /** All keys below a folder, relative to it. */
  async function keysBelow(folder: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: store },
      { Bucket, Prefix: `${folder}/` },
    )) {
      keys.push(...Contents.map(({ Key = "" }) => Key.slice(folder.length + 1)));
    }
    return keys;
  }

  return {
    bucket,
    client,
    store,
    token,
    tokenOf,
    ask,
    change,
    keysBelow,
    keepVersions: () =>
      store.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: "Enabled" } })),
    async put(objects: Record<string, string>) {
      await mapConcurrently(Object.entries(objects), 16, ([key, text]) => bucket.put(key, text));
    },
    /** The texts of the objects below a folder, by their keys relative to it. */
    async below(folder: string): Promise<Record<string, string>> {
      const keys = await keysBelow(folder);
      const texts = await mapConcurrently(keys, 16, async (key) => [
        key,
        String(await bucket.get(`${folder}/${key}`)),
      ]);
      return Object.fromEntries(texts);
    },
    async typeOf(key: string) {
      return (await store.send(new HeadObjectCommand({ Bucket, Key: key }))).ContentType;
    },
    remove: (key: string) => store.send(new DeleteObjectCommand({ Bucket, Key: key })),
  };
}
