-- An endpoint that had nothing to deliver for days has not failed meanwhile.
ALTER TABLE "webhook_endpoints" ADD COLUMN IF NOT EXISTS "last_failed_at" TIMESTAMP(3);
-- For the list of failed deliveries, which are few among very many. Delivered ones have no error.
CREATE INDEX IF NOT EXISTS "webhook_deliveries_failed_idx" ON "webhook_deliveries" ("endpoint_id", "event_id") WHERE "error" IS NOT NULL;
