/** The explorer of a bucket that has a catalogue. */
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../support/app/built-app";
import { query } from "../support/databases/postgres";
import { test as base, expect } from "./explorer-support";
import type { Integrator } from "./integrator";

/** An app of the worker's own that asks catalogues: that of the stack does not. */
export const test = base.extend<object, { stack: StackInfo }>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures off this pattern
    async ({}, use) => {
      const stack: StackInfo = JSON.parse(process.env.TEST_STACK ?? "null");
      const app = await startBuiltApp(stack, { CATALOGUE_MAX_LAG_SECONDS: "86400" });
      const platformBaseUrl = app.env.PLATFORM_BASE_URL ?? "";
      await use({ ...stack, apiBaseUrl: app.apiBaseUrl, platformBaseUrl });
      await app.close();
    },
    { scope: "worker" },
  ],
});

/** Adds a catalogue, as a scan does that began ten minutes ago. @param sizes of its objects, bytes */
export async function addCatalogue(
  { postgresUrl }: Pick<StackInfo, "postgresUrl">,
  bucket: string,
  sizes: Record<string, number>,
): Promise<void> {
  const [catalogue] = await query<{ id: number }>(
    postgresUrl,
    "INSERT INTO catalogues (bucket, scanned_at) VALUES ($1, (now() - interval '10 minutes') AT TIME ZONE 'UTC') RETURNING id",
    [bucket],
  );
  await query(
    postgresUrl,
    `INSERT INTO catalogue_objects (catalogue_id, key, folded_name, size, etag, last_modified, as_of)
     SELECT $1, key, upper(key), size, '"x"', '2026-01-01', '2026-01-01' FROM unnest($2::text[], $3::bigint[]) AS given(key, size)`,
    [catalogue?.id, Object.keys(sizes), Object.values(sizes)],
  );
}

/** Waits until the app knows that the bucket has a catalogue: a process reads every five seconds which catalogues there are. */
export async function untilCatalogueIsFound(
  { platformBaseUrl }: Pick<StackInfo, "platformBaseUrl">,
  integrator: Pick<Integrator, "issue" | "bucket">,
): Promise<void> {
  const { url } = await integrator.issue();
  const token = new URL(url).searchParams.get("t");
  const source = async () => {
    const response = await fetch(`${platformBaseUrl}/api/embed/storage/sizes`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: integrator.bucket.name, folderPaths: ["/"] }),
    });
    return (await response.json()).source;
  };
  await expect.poll(source, { timeout: 20_000 }).toBe("catalogue");
}
