/** `npm run dev` as a person meets it: what it keeps, what it forgets, and what it says of its settings. */
import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ListObjectsV2Command, ListObjectVersionsCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { dataDir, dev, expectNothingRuns, postmaster, readInfo } from "../tests/support/app/dev";
import { findFreeOffset } from "../tests/support/app/stack";
import { makeTestFolder, query } from "../tests/support/databases/postgres";
import { DOCS_PORT, isPortFree, resolvePorts, services } from "./addresses";
import type { StackInfo } from "./stack-info";

async function listKeys({ objectStore }: StackInfo): Promise<string[]> {
  const client = new S3Client({ ...objectStore, forcePathStyle: true, credentials: { ...objectStore } });
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: objectStore.bucket }));
  client.destroy();
  return Contents.map(({ Key = "" }) => Key);
}

/** The older versions in the demo's bucket. `areOld`: the files were deleted a day ago. */
async function pastOf({ objectStore }: StackInfo) {
  const client = new S3Client({ ...objectStore, forcePathStyle: true, credentials: { ...objectStore } });
  const { Versions = [], DeleteMarkers = [] } = await client.send(
    new ListObjectVersionsCommand({ Bucket: objectStore.bucket }),
  );
  client.destroy();
  const yesterday = Date.now() - 86_400_000;
  return {
    versionsOfPriceList: Versions.filter(({ Key }) => Key === "Data/Price list.csv").length,
    deleted: DeleteMarkers.length,
    areOld: DeleteMarkers.every(({ LastModified }) => Number(LastModified) <= yesterday),
  };
}

/** Each starts a whole stack, some twice, milliseconds: a minute was too short where six others were building and testing beside it. */
const STARTS = 180_000;

describe("npm run dev", { timeout: STARTS }, () => {
  it("keeps data and keys over a restart in files for their owner alone, and forgets them with --fresh", async () => {
    const first = dev();
    await first.up;
    expect((await stat(join(dataDir, "stack.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDir, "secrets.json"))).mode & 0o777).toBe(0o600);
    const info = await readInfo();
    const keys = await listKeys(info);
    // One that is kept in the repository, and one that is made.
    expect(keys).toContain("Photos/Café façade.png");
    expect(keys).toContain("Delivery notes/2026/2026-064 Delivery note.txt");
    const past = await pastOf(info);
    expect(past).toEqual({ versionsOfPriceList: 4, deleted: 3, areOld: true });
    const catalogue = `SELECT bucket, objects, scanned_at FROM catalogues`;
    const added = await query(info.postgresUrl, catalogue);
    expect(added).toMatchObject([{ bucket: info.objectStore.bucket, objects: String(keys.length) }]);
    await query(info.postgresUrl, `UPDATE companies SET name = 'Renamed'`);

    const pid = await postmaster();
    first.child.kill("SIGINT");
    const { code: firstCode, output: firstOutput } = await first.ended;
    expect(firstCode).toBe(0);
    expect(firstOutput).not.toContain("NodeVersionSupportWarning");
    await expectNothingRuns(pid);
    expect(existsSync(join(dataDir, "stack.json"))).toBe(false);

    const second = dev();
    await second.up;
    expect(await readInfo()).toEqual(info);
    expect(await listKeys(info)).toEqual(keys);
    expect(await pastOf(info)).toEqual(past);
    expect(await query(info.postgresUrl, catalogue)).toEqual(added);
    expect(await query(info.postgresUrl, `SELECT id, name FROM companies`)).toEqual([
      { id: info.demoClient.companyId, name: "Renamed" },
    ]);
    expect(await query(info.postgresUrl, `SELECT id, allowed_origins FROM embed_clients`)).toEqual([
      {
        id: info.demoClient.id,
        allowed_origins: [
          info.demoUrl,
          info.demoUrl.replace("127.0.0.1", "localhost"),
          // The home page of the documentation embeds the demo's files.
          `http://127.0.0.1:${DOCS_PORT + Number(new URL(info.demoUrl).port) - services.demo.port}`,
        ],
      },
    ]);
    await query(info.postgresUrl, "UPDATE _prisma_migrations SET checksum = 'of another schema'");
    second.child.kill("SIGTERM");
    await second.ended;

    expect((await dev().ended).output).toMatch(/made by another version of the code.*--fresh/);

    await rm(join(dataDir, "secrets.json"));
    const { code, output } = await dev().ended;
    expect(code).toBe(1);
    expect(output).toMatch(/secrets\.json is missing.*--fresh/);

    await dev(["--fresh"]).up;
    const after = await readInfo();
    expect(after.demoClient.apiKey).not.toBe(info.demoClient.apiKey);
    expect(await query(after.postgresUrl, `SELECT name FROM companies`)).toEqual([
      { name: "Northwind Traders" },
    ]);
  });

  it("lets a real database take the place of its own, migrated and seeded", async () => {
    const first = dev();
    await first.up;
    const { postgresUrl } = await readInfo();
    await query(postgresUrl, "CREATE DATABASE real");
    const real = postgresUrl.replace(/\/platform$/, "/real");

    const other = await makeTestFolder();
    const second = resolvePorts(await findFreeOffset());
    const env = {
      POSTGRES_URL: real,
      LOCAL_STATE_DIR: other,
      LOCAL_PORT_OFFSET: String(second.postgres - 54320),
    };
    const started = dev([], env);
    await started.up;
    expect(await isPortFree(second.postgres)).toBe(true);
    expect(await query(real, `SELECT name FROM companies`)).toEqual([{ name: "Northwind Traders" }]);
    // It still writes into its folder.
    started.child.kill("SIGTERM");
    await started.ended;
    await rm(other, { recursive: true, force: true });
  });

  it("refuses settings that the app would refuse, before it starts anything", async () => {
    const { code, output } = await dev([], { POSTGRES_POOL_SIZE: "many" }).ended;
    expect(code).toBe(1);
    expect(output).toContain("POSTGRES_POOL_SIZE");
    expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  });

  it("explains itself", async () => {
    const { code, output } = await dev(["--help"]).ended;
    expect(code).toBe(0);
    expect(output).toMatch(/--fresh[\s\S]*LOCAL_PORT_OFFSET/);
  });
});
