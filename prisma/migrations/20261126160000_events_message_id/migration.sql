-- For `GET /api/emails/{messageId}`. Only events of e-mails have a message id. CONCURRENTLY, so that events go on being written while a
-- large table is indexed; that has to be the only statement of its migration (docs/decisions/0047-old-deliveries-are-deleted-by-an-index.md).
CREATE INDEX CONCURRENTLY "events_message_id_idx" ON "events" (("data" ->> 'messageId')) WHERE "data" ? 'messageId';
