/** Fills a catalogue with very many rows, as long use of a bucket would. */
import { query } from "./postgres";

/** Words of names, in whose trigrams none of `PLANTED` begins. */
const WORDS =
  "invoice contract report statement summary factory meeting minutes holiday budget estimate delivery order receipt payment letter drawing photo scan protocol offer annex bill form plan record note map list page sheet copy";

/** Names that have a word of 12 letters, so that words of 3 to 12 letters with known numbers of hits can be searched for. */
export const PLANTED = {
  /** no name has it */
  none: "zwischenraum",
  /** ten names have it */
  few: "xylographers",
  /** 10,000 names have it, if there are so many */
  many: "quarterbacks",
};
export const MANY = 10_000;
const FEW = 10;

/** Of all objects, half at most are in `Archive/` itself, and a thousand in `Page/`. The others are in `Client …/Project …/`, 33 in each. */
const rowsOf = (count: number) => `
  SELECT folder || name AS key, upper(name) AS folded_name, n * 7919 % 10000019 AS size, '"' || md5(n::text) || '"' AS etag,
    timestamp '2026-01-01' - n * 104729 % 63072000 * interval '1 second' AS last_modified
  FROM generate_series(1, ${count}::bigint) AS n,
    LATERAL (SELECT string_to_array('${WORDS}', ' ') AS words) AS all_words,
    LATERAL (SELECT CASE WHEN n % ${Math.max(1, Math.floor(count / FEW))} = 1 THEN '${PLANTED.few}'
      WHEN n % ${Math.max(1, Math.floor(count / MANY))} = 0 THEN '${PLANTED.many}' ELSE words[1 + n * 31 % 32] END AS word) AS first_word,
    LATERAL (SELECT word || '-' || words[1 + n / 32 % 32] || '-' || lpad(n::text, 8, '0') || (ARRAY['.pdf', '.jpg', '.docx', '.xlsx'])[1 + n % 4] AS name) AS names,
    LATERAL (SELECT n * 7919 % greatest(1, ${count} / 66) AS folder_number) AS numbers,
    LATERAL (SELECT CASE WHEN n <= 1000 THEN 'Page/' WHEN n <= 1000 + ${archiveFiles(count)} THEN 'Archive/'
      ELSE 'Client ' || lpad((folder_number % 300)::text, 3, '0') || '/Project ' || folder_number / 300 || '/' END AS folder) AS folders`;

/** How many of so many objects are in `Archive/`. */
export const archiveFiles = (count: number) => Math.min(1_000_000, Math.floor(count / 2));

/** The keys of a bucket with so many objects. */
export const keysOf = async (postgresUrl: string, count: number): Promise<string[]> =>
  (await query<{ key: string }>(postgresUrl, `SELECT key FROM (${rowsOf(count)}) AS rows`)).map(
    ({ key }) => key,
  );

/** Adds so many rows to an empty catalogue. They come in another order than that of their keys, as those of a bucket that has grown. */
export async function fillCatalogue(postgresUrl: string, catalogueId: number, count: number): Promise<void> {
  await query(
    postgresUrl,
    `INSERT INTO catalogue_objects (catalogue_id, key, folded_name, size, etag, last_modified, as_of)
     SELECT $1::int, rows.*, now() AT TIME ZONE 'UTC' FROM (${rowsOf(count)}) AS rows`,
    [catalogueId],
  );
}
