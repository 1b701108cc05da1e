import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../../../tests/support/databases/own-database";
import { newBucketName } from "../../../../tests/support/files/bucket";
import { addCatalogue } from "../../../catalogue/catalogues.server";
import { ChangeReader } from "../../../catalogue/change-reader.server";
import { readClock, writeObserved } from "../../../catalogue/objects.sql.server";
import { UsableCatalogues } from "../../../catalogue/usable-catalogues.server";
import type { FilesGrant } from "../place/scope-guards.server";
import { type FolderMessage, followFolder } from "./follow-folder.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());

describe("a stream of changes", () => {
  it("goes on after many files with the longest keys were added, and says that the folder has to be listed again", async () => {
    const bucket = newBucketName();
    const { id } = await addCatalogue(own.database, bucket);
    await own.database.catalogue.update({ where: { id }, data: { scannedAt: new Date() } });
    const folder = `${"a".repeat(200)}/`.repeat(4);
    const object = { size: 3, etag: '"0123456789abcdef0123456789abcdef"', lastModified: new Date(0) };
    const asOf = await readClock(own.database);
    const keys = Array.from({ length: 200 }, (_, number) => `${folder}${`${number}`.padEnd(220, "b")}`);
    await writeObserved(
      own.database,
      keys.map((key) => ({ bucket, key, asOf, object })),
    );
    const changeReader = new ChangeReader(own.database);
    const tools = { catalogues: new UsableCatalogues(own.database, 3_600), changeReader };
    const grant = { companyId: "acme", scope: { bucket } } as FilesGrant;
    const request = { bucket, folderPath: `/${folder.slice(0, -1)}` };
    const followed = await followFolder(request, grant, tools);
    if ("messages" in followed) throw new Error("It is no stream.");
    const sent: FolderMessage[] = [];
    // More than 256 KiB at once would end the stream.
    const stop = await followed.begin({ send: (message) => sent.push(message), end() {} });
    expect(sent).toMatchObject([{ name: "reload" }]);
    stop();
    changeReader.close();
  });
});
