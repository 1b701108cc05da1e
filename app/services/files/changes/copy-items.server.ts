import type { ServiceTools } from "../../../embed/service";
import type { ListedObject } from "../../../providers/tree-listings.server";
import type { FilesGrant } from "../scope-guards.server";
import { digestOf, type Progress, readCursor, signCursor } from "./change-cursor.server";
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
  let progress: Progress = { index: 0 };
  if (request.cursor !== undefined) {
    progress = readCursor(request.cursor, digest, tools);
  } else if (request.stop) {
    return { ...nothing, cursor: null };
  } else {
    const plan = await planCopy(copy, tools);
    if (plan.conflicts.length > 0) return { ...nothing, conflicts: plan.conflicts, cursor: null };
    progress = plan.progress;
    // Before anything is changed, the caller gets what tells a repeated request from a new one.
    if (plan.isOfUse) return { ...nothing, cursor: signCursor(progress, digest, tools) };
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

/** `isOfUse`: a request that began without it could not tell what an earlier attempt of it has made. */
async function planCopy({ bucket, items, targets, isMove, onConflict }: Copy, tools: ServiceTools) {
  const progress: Progress = { index: 0 };
  const isHere = (index: number) => isMove && items[index]?.path === targets[index]?.path;
  if (onConflict === "fail") {
    const taken = await findConflicts(bucket, items, targets, isMove, tools);
    const conflicts = taken.filter((index) => !isHere(index)).flatMap(conflictOf);
    return { conflicts, progress, isOfUse: items.some(({ isFolder }) => isFolder) };
  }
  if (onConflict === "replace") return { conflicts: [], progress, isOfUse: false };
  const chosen = await chooseNumbers(bucket, targets, tools);
  const numbers = chosen.map((number, index) => (isHere(index) ? 0 : number));
  return { conflicts: [], progress: { ...progress, numbers }, isOfUse: true };

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
    const isBeginning = this.progress.index === 0 && this.progress.after === undefined;
    if (isMove && isBeginning) await keepFoldersOf(bucket, items, this.#targets, bounds, this.tools);
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
