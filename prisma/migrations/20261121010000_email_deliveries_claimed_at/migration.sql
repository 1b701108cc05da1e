-- For `npm run cleanup`. CONCURRENTLY, so that e-mails go on being claimed while a large table is indexed; that has to be
-- the only statement of its migration, for it cannot run in a transaction (docs/decisions/0047-old-deliveries-are-deleted-by-an-index.md).
CREATE INDEX CONCURRENTLY "email_deliveries_claimed_at_idx" ON "email_deliveries"("claimed_at");
