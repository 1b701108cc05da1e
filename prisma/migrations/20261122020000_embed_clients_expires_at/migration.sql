-- When a key ends by itself; null, as for every key until now: never. No row is rewritten.
-- Behind a long transaction it gives up rather than hold back everybody who comes after it; it may be run again after any end.
SET lock_timeout = '3s';
ALTER TABLE "embed_clients" ADD COLUMN IF NOT EXISTS "expires_at" TIMESTAMP(3);
RESET lock_timeout;
