-- For `npm run campaign -- status`. CONCURRENTLY, so that events go on being written while a large table is indexed; that has to be the
-- only statement of its migration (docs/decisions/0047-old-deliveries-are-deleted-by-an-index.md).
CREATE INDEX CONCURRENTLY "events_campaign_id_idx" ON "events" ("campaign_id", "recipient", "type") WHERE "campaign_id" IS NOT NULL;
