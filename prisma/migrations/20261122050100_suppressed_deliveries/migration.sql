-- A delivery may also have ended without an e-mail. NOT VALID, so that the table is not read while nobody else may use it: what is in it
-- has satisfied the narrower rule; the next migration says so to PostgreSQL. It may be run again after any end.
SET lock_timeout = '3s';
ALTER TABLE "email_deliveries"
    DROP CONSTRAINT IF EXISTS "email_deliveries_status_check",
    ADD CONSTRAINT "email_deliveries_status_check" CHECK ("status" IN ('claimed', 'sent', 'suppressed')) NOT VALID;
RESET lock_timeout;
