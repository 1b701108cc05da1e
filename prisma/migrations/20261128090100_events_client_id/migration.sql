-- For API keys that read only their own events. CONCURRENTLY, so that events go on being written while a large table is indexed; that has to
-- be the only statement of its migration (docs/decisions/0047-old-deliveries-are-deleted-by-an-index.md).
CREATE INDEX CONCURRENTLY "events_client_id_occurred_at_id_idx" ON "events" ("client_id", "occurred_at", "id");
