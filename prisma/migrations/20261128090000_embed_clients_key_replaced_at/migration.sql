-- When the key was last replaced: until it is refused everywhere, it is not replaced again. No row is rewritten.
-- Behind a long transaction it gives up rather than hold back everybody who comes after it; it may be run again after any end.
SET lock_timeout = '3s';
ALTER TABLE "embed_clients" ADD COLUMN IF NOT EXISTS "key_replaced_at" TIMESTAMP(3);
RESET lock_timeout;
