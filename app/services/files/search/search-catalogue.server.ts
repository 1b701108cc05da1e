import { z } from "zod";
import { hasSearchIndex } from "../../../catalogue/search-index.sql.server";
import {
  findBest,
  findInOrder,
  readFolders,
  type WantedNames,
} from "../../../catalogue/search-objects.sql.server";
import type { UsableCatalogue } from "../../../catalogue/usable-catalogues.server";
import type { ServiceTools } from "../../../embed/service";
import { isStatementTooSlow } from "../../../providers/database.server";
import { foldName, wordsOf } from "../../../shared/fold-name";
import { type FileFilter, isFiltering } from "../browse/file-filter";
import { extensionsOf } from "../browse/file-kind";
import { searchedKinds } from "../place/contract/search-contract.server";
import { type KeyMatcher, MAX_HITS } from "./match-keys.server";
import { searchBudget } from "./search-budget.server";

/** Trigrams are of three characters. */
const MIN_INDEXED_LENGTH = 3;
/** In most scripts with letters, a word has spaces around it. In others, such as Chinese, two characters may be a word anywhere in a name. */
const OTHER_SCRIPT = /[^\0-\u024f]/;

/**
 * What is looked at, one after the other:
 * - `names`: names of files that contain all words, which the index finds.
 * - `folders`: names of folders.
 * - `around`: names that contain some of the words, in folders whose names contain the others.
 */
const stages = ["names", "folders", "around"] as const;
type Stage = (typeof stages)[number];

/** How far a search by the catalogue has come. */
export const cataloguePositionSchema = z.object({
  source: z.literal("catalogue"),
  stage: z.enum(stages),
  /** Rows are read in the order of their keys, because the index does not help. */
  inOrder: z.boolean(),
  /** the last key, or folder, that was looked at; null: none */
  after: z.string().nullable(),
  /** of the last hit, if the best come first */
  rank: z.int(),
});
type Position = z.infer<typeof cataloguePositionSchema>;

interface CatalogueSearch {
  /** who searches: the companies take turns */
  companyId: string;
  /** what all keys start with */
  prefix: string;
  query: string;
  filter: FileFilter;
}

/**
 * Searches in the bucket's catalogue.
 * @param position where the request before stopped
 * @returns where the next request goes on, null at the end; undefined if there is no index
 * @throws AppError `unavailable`
 */
export async function searchCatalogue(
  { companyId, prefix, query, filter }: CatalogueSearch,
  matcher: KeyMatcher,
  position: Position | undefined,
  catalogue: UsableCatalogue,
  { database, ...tools }: ServiceTools,
): Promise<Position | null | undefined> {
  if (position === undefined && !(await hasSearchIndex(database))) return undefined;
  const budget = searchBudget(matcher, tools, position === undefined);
  const words = wordsOf(query);
  const isShort = !words.some((word) => word.length >= MIN_INDEXED_LENGTH);
  const atBeginnings = isShort && words.length > 0 && !words.some((word) => OTHER_SCRIPT.test(word));
  const remaining = stagesOf(words, filter);
  const begin = (stage: Stage): Position => ({
    source: "catalogue",
    stage,
    inOrder: isShort && !atBeginnings,
    after: null,
    rank: -1,
  });
  const wanted: Omit<WantedNames, "where"> = {
    catalogueId: catalogue.id,
    prefix,
    words,
    phrase: foldName(query).trim().replace(/\s+/g, " "),
    atBeginnings,
    filter: { ...filter, extensions: filter.kinds && foldedExtensions(filter.kinds) },
  };

  let chunkRows: number | undefined;

  /** Looks at what comes next in a stage. @returns where it goes on; null at its end */
  const step = async (at: Position): Promise<Position | null> => {
    const after = at.after ?? undefined;
    if (at.stage === "folders") {
      const { folders, next } = await readFolders(database, companyId, wanted, { after });
      const stopped = matcher.lookAt(folders.map(markerOf), prefix, after);
      const reached = stopped ?? next;
      return reached === null ? null : { ...at, after: reached };
    }
    const names: WantedNames = { ...wanted, where: at.stage === "names" ? "name" : "folders" };
    const limit = MAX_HITS - matcher.count;
    if (at.inOrder) {
      const chunk = await findInOrder(database, companyId, names, { after, limit, chunkRows });
      chunk.objects.forEach(matcher.lookAtFile);
      chunkRows = chunk.chunkRows;
      return chunk.next === null ? null : { ...at, after: chunk.next };
    }
    const last = after === undefined ? undefined : { rank: at.rank, key: after };
    const best = await findBest(database, companyId, names, { after: last, limit }).catch(
      (error: unknown) => {
        if (isStatementTooSlow(error)) return null;
        throw error;
      },
    );
    // If that happens in the middle of a search, because names were added meanwhile, some are found twice.
    if (best === null) return { ...at, inOrder: true, after: null, rank: -1 };
    best.forEach(matcher.lookAtFile);
    const end = best.at(-1);
    return end === undefined || best.length < limit ? null : { ...at, after: end.key, rank: end.rank };
  };

  let at: Position | null = position ?? begin("names");
  while (at !== null && !budget.isOver()) {
    const { stage }: Position = at;
    const following: Stage | undefined = remaining[remaining.indexOf(stage) + 1];
    at = (await step(at)) ?? (following === undefined ? null : begin(following));
  }
  return at;
}

/** Folders have no kind, date or size. With a single word, either a name contains it or does not. */
function stagesOf(words: readonly string[], filter: FileFilter): readonly Stage[] {
  return stages.filter(
    (stage) =>
      stage === "names" ||
      (stage === "folders" && !isFiltering(filter)) ||
      (stage === "around" && words.length > 1),
  );
}

/** A folder as a listing has it if it is an object of its own. */
const markerOf = (key: string) => ({ key, size: 0, etag: "", lastModified: new Date(0), modified: 0 });

const foldedExtensions = (kinds: NonNullable<FileFilter["kinds"]>) =>
  searchedKinds.filter((kind) => kinds.includes(kind)).flatMap((kind) => extensionsOf(kind).map(foldName));
