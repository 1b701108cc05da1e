/** The demo's bucket in the local object store: made, reachable from browsers, and filled when it is empty. */
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { makeDemoFiles } from "./demo-files";
import type { StackInfo } from "./stack-info";

/** What a person deleted or changed since stays so: a bucket that holds anything is left as it is. */
export async function fillDemoBucket({ objectStore }: StackInfo): Promise<void> {
  const { bucket: Bucket, endpoint, region, accessKeyId, secretAccessKey } = objectStore;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  try {
    await client.send(new CreateBucketCommand({ Bucket })).catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== "BucketAlreadyOwnedByYou") throw error;
    });
    const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }));
    if (KeyCount) return;
    for (const { key, contentType, body } of makeDemoFiles()) {
      await client.send(new PutObjectCommand({ Bucket, Key: key, ContentType: contentType, Body: body }));
    }
  } finally {
    client.destroy();
  }
}

/** The rules that `npm run storage:cors` writes. Imported late: the Prisma client may just have been made. */
export async function allowBrowsers(info: StackInfo): Promise<void> {
  const { corsRulesForBucket } = await import("../app/services/files/storage-cors.server");
  const { createDatabase } = await import("../app/providers/database.server");
  const { createObjectStore } = await import("../app/providers/object-store.server");
  const database = createDatabase({ url: info.postgresUrl, poolSize: 1 });
  try {
    const rules = await corsRulesForBucket(database, info.objectStore.bucket, info.platformBaseUrl);
    const store = createObjectStore({ ...info.objectStore, forcePathStyle: true, timeoutSeconds: 10 });
    await store.putCorsRules(info.objectStore.bucket, rules);
  } finally {
    await database.$disconnect();
  }
}
