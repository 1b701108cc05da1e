import type { ServiceTools } from "../../../embed/service";
import type { ListedObject } from "../../../providers/tree-listings.server";
import type { FilesGrant } from "../scope-guards.server";
import { digestOf, isAtBeginning, type Progress, readCursor, signCursor } from "./change-cursor.server";
import { type ChangeItem, keyOrPrefix, nameOf, readItems, type Target, targetsOf } from "./change-items";
import type { Copied, CopyRequest } from "./changes-contract.server";
import { abandonLarge, beginLarge, continueLarge, type PartBounds } from "./copy-large.server";
import { Outcomes } from "./count-outcomes.server";
import { keepFoldersOf } from "./keep-folders.server";
import { assertMayCopy, assertMayHaveName, assertPossible } from "./may-copy.server";
import { chooseNumbers, findConflicts, isFolderThere, numbered } from "./plan-names.server";
import { requestBounds, runBounded } from "./run-bounded";
import { type Transfer, transferObject } from "./transfer-object.server";
import { type Found, positionAfter, walkObjects } from "./walk-objects";

const MiB = 1024 ** 2;

export interface CopyBounds extends PartBounds {
  /** bytes; what is larger is copied by parts. S3 itself copies 5 GiB at once, and takes its time */
  wholeBytes: number;
}

export const copyBounds: CopyBounds = { ...requestBounds, wholeBytes: 512 * MiB, partBytes: 128 * MiB };

/**
 * Copies or moves files and folders into a folder, as far as one request goes. Nothing is kept on our side: the cursor says how far it has
 * come, and a request that is repeated does no harm. docs/decisions/0067
 * @throws AppError `scope_not_allowed`, `type_not_allowed`, `invalid_request`, and those of the store
 */
export async function copyItems(
  request: CopyRequest,
  grant: FilesGrant,
  tools: ServiceTools,
  { isMove, bounds = copyBounds }: { isMove: boolean; bounds?: CopyBounds },
): Promise<Copied> {
  const { bucket, to, name, onConflict } = request;
  const items = readItems(request.items);
  assertMayCopy(request, items, grant, isMove);
  const targets = targetsOf(items, to, name);
  assertPossible(items, targets, onConflict === "replace");
  if (name !== undefined) await assertMayHaveName(bucket, items, name, grant, tools);

  const copy = { bucket, items, targets, isMove, onConflict, bounds };
  const digest = digestOf({ companyId: grant.companyId, bucket, isMove, items, to, name, onConflict });
  const nothing = { done: 0, failed: [], conflicts: [] };
  if (request.cursor === undefined && request.stop) return { ...nothing, cursor: null };
  let progress: Progress =
    request.cursor === undefined
      ? { index: 0, planned: onConflict === "replace" ? undefined : 0 }
      : readCursor(request.cursor, digest, tools);
  if (progress.planned !== undefined && !request.stop) {
    const plan = await planCopy(copy, progress, tools);
    if (plan.conflicts.length > 0) return { ...nothing, conflicts: plan.conflicts, cursor: null };
    progress = plan.progress;
    // Before anything is changed, the caller gets what tells a repeated request from a new one.
    const isOfUse = onConflict === "keep-both" || items.some(({ isFolder }) => isFolder);
    if (progress.planned !== undefined || isOfUse) {
      return { ...nothing, cursor: signCursor(progress, digest, tools) };
    }
  }
  const copying = new Copying(copy, progress, tools);
  if (request.stop) {
    await copying.giveUp();
    return { ...nothing, cursor: null };
  }
  const next = await copying.run();
  const { done, failed } = copying.outcomes;
  return { done, failed, conflicts: [], cursor: next && signCursor(next, digest, tools) };
}

interface Copy {
  bucket: string;
  items: readonly ChangeItem[];
  targets: readonly Target[];
  isMove: boolean;
  onConflict: CopyRequest["onConflict"];
  bounds: CopyBounds;
}

/** items whose names are looked for before the clock is */
const PLANNED_AT_ONCE = 16;

/** Which names are taken, or which are given instead, as far as one request goes: `planned` is undefined once all are known. */
async function planCopy(copy: Copy, from: Progress, tools: ServiceTools) {
  const { bucket, items, targets, isMove, onConflict, bounds } = copy;
  const isHere = (index: number) => isMove && items[index]?.path === targets[index]?.path;
  const end = performance.now() + bounds.ms;
  const [taken, numbers] = [[...(from.taken ?? [])], [...(from.numbers ?? [])]];
  let planned = from.planned ?? 0;
  do {
    const until = Math.min(planned + PLANNED_AT_ONCE, items.length);
    if (onConflict === "fail") {
      const found = await findConflicts(bucket, items, targets, { from: planned, until, isMove }, tools);
      taken.push(...found.filter((index) => !isHere(index)));
    } else {
      const chosen = await chooseNumbers(bucket, targets.slice(planned, until), tools, placed());
      numbers.push(...chosen.map((number, index) => (isHere(planned + index) ? 0 : number)));
    }
    planned = until;
  } while (planned < items.length && performance.now() < end);
  const { planned: _, taken: __, ...rest } = from;
  const named = onConflict === "keep-both" ? { ...rest, numbers } : rest;
  if (planned < items.length) return { conflicts: [], progress: { ...named, planned, taken } };
  return { conflicts: taken.flatMap(conflictOf), progress: named };

  /** The places of those whose names are chosen. */
  function placed(): Target[] {
    return targets.slice(0, numbers.length).map((target, index) => numbered(target, numbers[index] ?? 0));
  }

  function conflictOf(index: number): Copied["conflicts"] {
    const [item, target] = [items[index], targets[index]];
    if (item === undefined || target === undefined) return [];
    const place = item.isFolder ? { folderPath: item.path } : { key: keyOrPrefix(item) };
    return [{ name: nameOf(target.path), ...place }];
  }
}

/** What one request does of a copy or a move. */
class Copying {
  readonly outcomes: Outcomes;
  /** copies by parts that are under way */
  #large: NonNullable<Progress["large"]>;
  readonly #targets: readonly Target[];

  constructor(
    private readonly copy: Copy,
    private readonly progress: Progress,
    private readonly tools: ServiceTools,
  ) {
    this.outcomes = new Outcomes(tools.request);
    this.#large = progress.large ?? [];
    const { numbers = [] } = progress;
    this.#targets = copy.targets.map((target, index) => numbered(target, numbers[index] ?? 0));
  }

  /** Where to go on; null when all is done. */
  async run(): Promise<Progress | null> {
    const { bucket, items, isMove, bounds } = this.copy;
    if (isMove && isAtBeginning(this.progress))
      await keepFoldersOf(bucket, items, this.#targets, bounds, this.tools);
    await this.#goOnWithLarge();
    // They come first: what is begun is ended before more is.
    if (this.#large.length > 0) return this.#progressAt(undefined);
    const { objectStore, request } = this.tools;
    const found = walkObjects(items, this.progress, (prefix, after) =>
      objectStore.listBelow({ bucket, prefix, after }, request),
    );
    const { last, isComplete } = await runBounded(
      found,
      bounds,
      (object) => this.outcomes.count(object.key, this.#transfer(object)),
      () => this.#large.length > 0,
    );
    return isComplete && this.#large.length === 0 ? null : this.#progressAt(last);
  }

  /** Leaves no parts behind. */
  async giveUp(): Promise<void> {
    for (const large of this.#large) {
      const transfer = this.#transferOf(large);
      if (transfer !== null) await abandonLarge(transfer, large, this.tools);
    }
  }

  #progressAt(last: Found<unknown> | undefined): Progress {
    return { ...this.progress, ...(last && positionAfter(last)), large: this.#large };
  }

  async #goOnWithLarge(): Promise<void> {
    const [large, ...others] = this.#large;
    const transfer = large && this.#transferOf(large);
    if (!transfer) return;
    let isGoingOn = false;
    const work = async () => {
      const outcome = await continueLarge(transfer, large, this.copy.bounds, this.tools);
      isGoingOn = outcome === "more";
      return outcome === "more" ? "absent" : outcome;
    };
    await this.outcomes.count(large.key, work());
    if (!isGoingOn) this.#large = others;
  }

  /** Null for what stays where it is. */
  #transferOf({ index, key }: { index: number; key: string }): Transfer | null {
    const { items, bucket, isMove, onConflict, bounds } = this.copy;
    const [item, target] = [items[index], this.#targets[index]];
    if (item === undefined || target === undefined || item.path === target.path) return null;
    const to = keyOrPrefix(target) + key.slice(keyOrPrefix(item).length);
    const { wholeBytes } = bounds;
    return { bucket, key, to, isMove, overwrite: onConflict === "replace", wholeBytes };
  }

  async #transfer({ index, key, entry }: Found<ListedObject>) {
    const transfer = this.#transferOf({ index, key });
    if (transfer === null) return "absent";
    // Two of one name: whatever was chosen, none of them takes the other's place.
    if (transfer.overwrite && this.#targets[index]?.isTwice) return "name_taken";
    if (this.copy.items[index]?.isFolder && entry === undefined) {
      const isMoved = transfer.isMove && (await isFolderThere(transfer.bucket, transfer.to, this.tools));
      return isMoved ? "absent" : "not_found";
    }
    const outcome = await transferObject(transfer, entry, this.tools);
    if (outcome !== "large") return outcome;
    const large = await beginLarge(transfer, index, this.tools);
    if (large === null) return "not_found";
    this.#large.push(large);
    return "absent";
  }
}
