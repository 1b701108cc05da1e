-- Reads the table beside those who use it.
ALTER TABLE "email_deliveries" VALIDATE CONSTRAINT "email_deliveries_status_check";
