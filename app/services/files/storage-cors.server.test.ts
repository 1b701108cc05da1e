import { afterAll, beforeAll, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../../tests/support/own-database";
import { createEmbedClient, revokeEmbedClient } from "../../embed/manage-embed-clients.server";
import { services } from "../registry.server";
import { corsRulesForBucket } from "./storage-cors.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());

const add = (origins: string[], policies: Record<string, object>, allowed = ["files"]) =>
  createEmbedClient(
    own.database,
    { company: { name: "Northwind" }, name: "portal", services: allowed, origins, policies },
    services,
  );

it("a bucket lets in the platform, and each origin of its live clients once, in order", async () => {
  const docs = { files: { buckets: ["other", "docs"] } };
  await add(["https://b.example", "https://a.example"], docs);
  await add(["https://b.example"], docs);
  await add(["https://other-bucket.example"], { files: { buckets: ["other"] } });
  await add(["https://no-policy.example"], {});
  await add(["https://no-files.example"], docs, ["notif"]);
  const { id } = await add(["https://revoked.example"], docs);
  await revokeEmbedClient(own.database, id);

  expect(await corsRulesForBucket(own.database, "docs", "https://embed.example.com")).toEqual([
    {
      allowedMethods: ["GET", "PUT", "HEAD"],
      allowedHeaders: ["*"],
      exposeHeaders: ["ETag", "x-amz-request-id"],
      maxAgeSeconds: 3000,
      allowedOrigins: ["https://embed.example.com", "https://a.example", "https://b.example"],
    },
  ]);
});
