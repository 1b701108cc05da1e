/** Fills the record of events as long use would. */
import { query } from "./postgres";

/**
 * Adds `count` events, the newest a second ago and one a second before that. Company `company-0` has half of them; `company-1` to
 * `company-9` share the others. Each company has one bucket, 200 folders and 1,000 visitors. Every tenth event is a deletion, and of a hundred one is
 * `file.purged`. `rare/`, the visitor, the client and the bucket `rare` of `company-0` have 20 events each, all of them old.
 */
export async function fillWithEvents(postgresUrl: string, count: number): Promise<void> {
  await query(
    postgresUrl,
    `INSERT INTO events (id, type, occurred_at, "companyId", client_id, visitor_id, visitor_name, request_id, bucket, key, data, source)
     SELECT gen_random_uuid(),
       CASE WHEN n % 100 = 7 THEN 'file.purged' WHEN n % 10 = 3 THEN 'file.deleted' WHEN n % 3 = 0 THEN 'file.uploaded'
         ELSE 'file.download_signed' END,
       date_trunc('milliseconds', now() AT TIME ZONE 'UTC') - n * interval '1 second',
       'company-' || company, CASE WHEN is_rare THEN 'rare' ELSE 'client-' || company END,
       CASE WHEN is_rare THEN 'rare' ELSE 'visitor-' || n % 1000 END, 'Visitor ' || n % 1000, 'request-' || n,
       CASE WHEN is_rare THEN 'rare' ELSE 'bucket-' || company END,
       CASE WHEN is_rare THEN 'rare/' ELSE 'folder-' || n / 7 % 200 || '/' END || 'file-' || n || '.pdf',
       jsonb_build_object('size', n, 'etag', '"' || md5(n::text) || '"', 'contentType', 'application/pdf'), 'service'
     FROM generate_series(1, $1::int) AS n,
       LATERAL (SELECT n > $1 - 20 AS is_rare) AS age,
       LATERAL (SELECT CASE WHEN is_rare OR n % 2 = 0 THEN 0 ELSE n / 2 % 9 + 1 END AS company) AS owner`,
    [count],
  );
  await query(postgresUrl, "ANALYZE events");
}
