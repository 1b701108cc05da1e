-- For `npm run events -- erase --recipient`. Only events of e-mails have a recipient. CONCURRENTLY, so that events go on being written
-- while a large table is indexed; that has to be the only statement of its migration (docs/decisions/0047-old-deliveries-are-deleted-by-an-index.md).
CREATE INDEX CONCURRENTLY "events_recipient_idx" ON "events" ("recipient") WHERE "recipient" IS NOT NULL;
