/* Searches in the names of a catalogue. SQL, because only PostgreSQL's trigrams find a part of a name among millions. */
import { z } from "zod";
import { type Database, isStatementTooSlow } from "../providers/database.server";
import { joinSql, type Sql, sql } from "../providers/sql.server";
import { rangeOf } from "./key-range";
import { OBJECT_COLUMNS, objectShape } from "./objects.sql.server";
import { FOLDER_OF_KEY } from "./search-index.sql.server";
import { fromStoredKey, toStoredKey } from "./stored-key";

type Run = Pick<Database, "$queryInTurn">;

/** With more hits than this, putting the best first costs more than reading the rows in their order. */
const MAX_RANKED = 20_000;
/** Milliseconds that the index gets. A statement that takes longer reads too many rows. */
const MAX_INDEX_MS = 1_000;
/** The same if PostgreSQL expects `DOUBTFUL_FACTOR` times too many. Its estimate is made from a hundred samples, so rare words may seem frequent. */
const MAX_DOUBTFUL_MS = 250;
const DOUBTFUL_FACTOR = 5;
/** Rows that one statement reads in their order, and the fewest, if so many take too long. */
const CHUNK_ROWS = 50_000;
const MIN_CHUNK_ROWS = 500;
/** Milliseconds that such a statement gets. */
const MAX_CHUNK_MS = 1_000;
/** Folders that one statement names, as many as a page of the store has keys: their names are compared before anything else goes on. */
const CHUNK_FOLDERS = 1_000;

/** The names of which rows are wanted. */
export interface WantedNames {
  catalogueId: number;
  /** what the keys start with: empty, or with a slash at its end */
  prefix: string;
  /** folded: app/shared/fold-name.ts */
  words: readonly string[];
  /** what the visitor has typed, folded: a name that is the same comes first */
  phrase: string;
  /** `name`: all words are in the name; `folders`: some are, and the others in the names of the folders around it, or seem to be */
  where: "name" | "folders";
  /** each word begins a word of the name; otherwise it is anywhere in it */
  atBeginnings: boolean;
  filter: {
    /** what comes after the last dot of a name, folded; undefined: anything */
    extensions?: readonly string[] | undefined;
    modifiedAfter?: string | undefined;
    modifiedBefore?: string | undefined;
    minSize?: number | undefined;
    maxSize?: number | undefined;
  };
}

/** What stands before a word of a name, in patterns. Each makes the index look for the same trigrams, so only the usual ones are here. */
const BEGINNINGS = ["", "% ", "%-", "%\\_", "%.", "%("];

const escaped = (text: string) => text.replace(/[\\%_]/g, "\\$&");
const all = (conditions: readonly Sql[]) =>
  conditions.length === 0 ? sql`true` : sql`(${joinSql([...conditions], " AND ")})`;
const any = (conditions: readonly Sql[]) =>
  conditions.length === 0 ? sql`false` : sql`(${joinSql([...conditions], " OR ")})`;

/** A word of the name begins with `word`. */
const beginsAWord = (word: string) =>
  any(BEGINNINGS.map((before) => sql`folded_name LIKE ${`${before}${escaped(word)}%`}`));

/** The keys below a prefix. */
function isBelow(column: Sql, catalogueId: number, prefix: string): Sql {
  const { from, before } = rangeOf(prefix);
  const below = prefix === "" ? sql`` : sql`AND ${column} >= ${from} AND ${column} < ${before}`;
  return sql`catalogue_id = ${catalogueId} ${below}`;
}

/** Whether a row is wanted. The caller compares the names once more: PostgreSQL folds no names, so of `folders` some are too many. */
function isWanted({ words, where, atBeginnings, filter }: WantedNames): Sql {
  const isInName = (word: string) =>
    atBeginnings ? beginsAWord(word) : sql`folded_name LIKE ${`%${escaped(word)}%`}`;
  // For a key of ASCII, upper() is what folding is. Of others nothing is known here.
  const seemsToBeInKey = (word: string) =>
    sql`(octet_length(key) <> length(key) OR upper(key) LIKE ${`%${escaped(toStoredKey(word))}%`})`;
  const areInName = all(words.map(isInName));
  const { extensions, modifiedAfter, modifiedBefore, minSize, maxSize } = filter;
  return all([
    sql`NOT is_deleted`,
    ...(where === "name"
      ? [areInName]
      : [any(words.map(isInName)), ...words.map(seemsToBeInKey), sql`NOT ${areInName}`]),
    // One test, however many there are: with a pattern for each, names of hundreds of dots took seconds.
    ...(extensions
      ? [
          sql`strpos(folded_name, '.') > 0 AND split_part(folded_name, '.', -1) = ANY(${[...extensions]}::text[])`,
        ]
      : []),
    ...(modifiedAfter === undefined ? [] : [sql`last_modified >= ${modifiedAfter}::timestamp`]),
    ...(modifiedBefore === undefined ? [] : [sql`last_modified < ${modifiedBefore}::timestamp`]),
    ...(minSize === undefined ? [] : [sql`size >= ${minSize}::bigint`]),
    ...(maxSize === undefined ? [] : [sql`size <= ${maxSize}::bigint`]),
  ]);
}

/** 0: the name is the phrase, perhaps with an extension; 1: begins with it; 2: each word begins a word of the name; 3: others. */
function rankOf({ words, phrase }: WantedNames): Sql {
  return sql`
    CASE
      WHEN NOT starts_with(folded_name, ${phrase}::text) THEN CASE WHEN ${all(words.map(beginsAWord))} THEN 2 ELSE 3 END
      WHEN substr(folded_name, length(${phrase}::text) + 1) ~ '^([.][^.]*)?$' THEN 0
      ELSE 1
    END`;
}

const rankedSchema = z.object({ ...objectShape, rank: z.int(), found: z.int() });
/** A row that was found by the index. */
type RankedObject = z.infer<typeof rankedSchema>;

/**
 * Finds names by the index, best first, and those that are equally good by their keys.
 * @param caller whose turn it is: the company that searches
 * @param after the last row of the page before
 * @returns null if too many names match to put them in order
 * @throws an error of which `isStatementTooSlow` is true, if the index does not help: too many names have the same trigrams, or the words have
 * none. AppError `unavailable`
 */
export async function findBest(
  database: Run,
  caller: string,
  wanted: WantedNames,
  {
    after,
    limit,
    maxRanked = MAX_RANKED,
  }: { after: { rank: number; key: string } | undefined; limit: number; maxRanked?: number },
): Promise<RankedObject[] | null> {
  const matching = sql`
    SELECT key, folded_name, size, etag, last_modified FROM catalogue_objects
    WHERE ${isBelow(sql`key`, wanted.catalogueId, wanted.prefix)} AND ${isWanted(wanted)}`;
  const isDoubtful =
    after === undefined && (await expectedRows(database, caller, matching)) > maxRanked * DOUBTFUL_FACTOR;
  const rows = await database.$queryInTurn(
    caller,
    sql`
      WITH found AS MATERIALIZED (${matching} LIMIT ${maxRanked + 1}), ranked AS (SELECT *, ${rankOf(wanted)} AS rank FROM found)
      SELECT ${OBJECT_COLUMNS}, rank, (SELECT count(*)::int FROM found) AS found FROM ranked
      ${after === undefined ? sql`` : sql`WHERE (rank, key) > (${after.rank}, ${toStoredKey(after.key)})`}
      ORDER BY rank, key LIMIT ${limit}`,
    rankedSchema,
    { milliseconds: isDoubtful ? MAX_DOUBTFUL_MS : MAX_INDEX_MS },
  );
  return (rows[0]?.found ?? 0) > maxRanked ? null : rows;
}

const planSchema = z.object({
  "QUERY PLAN": z.tuple([z.object({ Plan: z.object({ "Plan Rows": z.number() }) })]),
});

/** How many rows PostgreSQL expects a statement to find, by the samples that ANALYZE has taken. The statement is not run. */
async function expectedRows(database: Run, caller: string, statement: Sql): Promise<number> {
  const [row] = await database.$queryInTurn(caller, sql`EXPLAIN (FORMAT JSON) ${statement}`, planSchema);
  return row?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? 0;
}

const chunkSchema = z.object({
  end: z.string().nullable(),
  key: objectShape.key.nullable(),
  size: objectShape.size.nullable(),
  etag: z.string().nullable(),
  lastModified: z.date().nullable(),
});
/** An object that may be wanted. */
type FoundObject = Pick<RankedObject, "key" | "size" | "etag" | "lastModified">;

interface ChunkOptions {
  /** the last key that was looked at; undefined: begin */
  after: string | undefined;
  /** of what is found */
  limit: number;
  /** how many rows are looked at; if they take too long, a tenth of them */
  chunkRows?: number | undefined;
}

/**
 * Finds names without the index, in the order of their keys, among the rows that come next.
 * @param caller whose turn it is: the company that searches
 * @returns what was found; the last key that was looked at, null if there are no others; and how many rows were not too many
 * @throws AppError `unavailable`
 */
export async function findInOrder(
  database: Run,
  caller: string,
  wanted: WantedNames,
  { after, limit, chunkRows = CHUNK_ROWS }: ChunkOptions,
): Promise<{ objects: FoundObject[]; next: string | null; chunkRows: number }> {
  try {
    const found = await findInChunk(database, caller, wanted, { after, limit, chunkRows });
    return { ...found, chunkRows };
  } catch (error) {
    const fewer = Math.floor(chunkRows / 10);
    if (!isStatementTooSlow(error) || fewer < MIN_CHUNK_ROWS) throw error;
    return findInOrder(database, caller, wanted, { after, limit, chunkRows: fewer });
  }
}

async function findInChunk(
  database: Run,
  caller: string,
  wanted: WantedNames,
  { after, limit, chunkRows }: ChunkOptions & { chunkRows: number },
) {
  const below = sql`${isBelow(sql`key`, wanted.catalogueId, wanted.prefix)} ${
    after === undefined ? sql`` : sql`AND key > ${toStoredKey(after)}`
  }`;
  const rows = await database.$queryInTurn(
    caller,
    sql`
      WITH last AS MATERIALIZED (SELECT (SELECT key FROM catalogue_objects WHERE ${below} ORDER BY key OFFSET ${
        chunkRows - 1
      } LIMIT 1) AS key)
      SELECT last.key AS end, found.* FROM last LEFT JOIN LATERAL (
        SELECT ${OBJECT_COLUMNS} FROM catalogue_objects
        WHERE ${below} AND (last.key IS NULL OR catalogue_objects.key <= last.key) AND ${isWanted(
          wanted,
        )} ORDER BY key LIMIT ${limit}
      ) AS found ON true`,
    chunkSchema,
    { milliseconds: MAX_CHUNK_MS },
  );
  const objects = rows.flatMap(({ key, size, etag, lastModified }) =>
    key === null || size === null || etag === null || lastModified === null
      ? []
      : [{ key, size, etag, lastModified }],
  );
  if (objects.length === limit) return { objects, next: objects.at(-1)?.key ?? null };
  const end = rows[0]?.end ?? null;
  return { objects, next: end === null ? null : fromStoredKey(end) };
}

/**
 * The folders in which objects are, in the order of their keys: each is found by the index from the one before, however many objects are in
 * it. Folders that hold only folders are not among them.
 * @param caller whose turn it is: the company that searches
 * @param after the folder before the first
 * @returns what their keys start with
 */
export async function readFolders(
  database: Run,
  caller: string,
  { catalogueId, prefix }: Pick<WantedNames, "catalogueId" | "prefix">,
  { after, limit = CHUNK_FOLDERS }: { after: string | undefined; limit?: number },
): Promise<{ folders: string[]; next: string | null }> {
  const first = (position: Sql) => sql`
    SELECT ${FOLDER_OF_KEY} AS folder FROM catalogue_objects
    WHERE ${isBelow(FOLDER_OF_KEY, catalogueId, prefix)} AND ${FOLDER_OF_KEY} > ${position} AND NOT is_deleted
    ORDER BY catalogue_id, ${FOLDER_OF_KEY} LIMIT 1`;
  const rows = await database.$queryInTurn(
    caller,
    sql`
      WITH RECURSIVE folders AS (
        (${first(sql`${toStoredKey(after ?? prefix)}`)})
        UNION ALL
        SELECT (${first(sql`folders.folder`)}) FROM folders WHERE folder IS NOT NULL
      )
      SELECT folder FROM folders WHERE folder IS NOT NULL LIMIT ${limit}`,
    z.object({ folder: z.string().transform(fromStoredKey) }),
  );
  const folders = rows.map(({ folder }) => folder);
  return { folders, next: folders.length < limit ? null : (folders.at(-1) ?? null) };
}
