import type { ServiceTools } from "../../../embed/service";
import type { ListedObject } from "../../../providers/listings.server";
import { isAtBeginning, type Progress } from "./change-cursor.server";
import { keyOrPrefix, type Target } from "./change-items";
import { abandonLarge, beginLarge, continueLarge } from "./copy-large.server";
import { Outcomes } from "./count-outcomes.server";
import { keepFoldersOf } from "./keep-folders.server";
import { type Copy, isFolderThere, numbered } from "./plan-copy.server";
import { runBounded } from "./run-bounded";
import { type Transfer, transferObject } from "./transfer-object.server";
import { UndoList } from "./undo-handle.server";
import { type Found, positionAfter, walkObjects } from "./walk-objects";

/** The work of one request to copy or move. */
export class Copying {
  readonly outcomes: Outcomes;
  /** the copies that this request has created */
  readonly created = new UndoList("created");
  /** multipart copies that are under way */
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

  /** Where to continue; null when all is done. */
  async run(): Promise<Progress | null> {
    const { bucket, items, isMove, bounds } = this.copy;
    if (isMove && isAtBeginning(this.progress))
      await keepFoldersOf(bucket, items, this.#targets, bounds, this.tools);
    await this.#continueLarge();
    // Large objects that have been begun are finished first.
    if (this.#large.length > 0) return this.#progressAt(undefined);
    const { objectStore, request } = this.tools;
    const found = walkObjects(items, this.progress, (prefix, after) =>
      objectStore.listBelow({ bucket, prefix, after }, request),
    );
    const { last, isComplete } = await runBounded(
      found,
      bounds,
      (object) => this.outcomes.count(object.key, this.#transfer(object)),
      () => this.#large.length > 0 || this.created.isFull,
    );
    return isComplete && this.#large.length === 0 ? null : this.#progressAt(last);
  }

  /** Discards the parts of large objects. */
  async giveUp(): Promise<void> {
    for (const large of this.#large) {
      const transfer = this.#transferOf(large);
      if (transfer !== null) await abandonLarge(transfer, large, this.tools);
    }
  }

  #progressAt(last: Found<unknown> | undefined): Progress {
    return { ...this.progress, ...(last && positionAfter(last)), large: this.#large };
  }

  async #continueLarge(): Promise<void> {
    const [large, ...others] = this.#large;
    const transfer = large && this.#transferOf(large);
    if (!transfer) return;
    let isUnfinished = false;
    const work = async () => {
      const outcome = await continueLarge(transfer, large, this.copy.bounds, this.tools);
      isUnfinished = outcome === "more";
      return outcome === "more" ? "uncounted" : outcome;
    };
    await this.outcomes.count(large.key, work());
    if (!isUnfinished) this.#large = others;
  }

  /** Null for an object that stays where it is. */
  #transferOf({ index, key }: { index: number; key: string }): Transfer | null {
    const { items, bucket, isMove, onConflict, maxFileBytes, bounds } = this.copy;
    const [item, target] = [items[index], this.#targets[index]];
    if (item === undefined || target === undefined || item.path === target.path) return null;
    const to = keyOrPrefix(target) + key.slice(keyOrPrefix(item).length);
    const { maxSingleCopyBytes } = bounds;
    const overwrite = onConflict === "replace";
    const transfer = { bucket, key, to, isMove, overwrite, maxFileBytes, maxSingleCopyBytes };
    return isMove ? transfer : { ...transfer, onCreated: (copy) => this.created.add(copy) };
  }

  async #transfer({ index, key, entry }: Found<ListedObject>) {
    const transfer = this.#transferOf({ index, key });
    if (transfer === null) return "uncounted";
    // Two items of the same name never overwrite each other.
    if (transfer.overwrite && this.#targets[index]?.isDuplicate) return "name_taken";
    if (this.copy.items[index]?.isFolder && entry === undefined) {
      const isMoved = transfer.isMove && (await isFolderThere(transfer.bucket, transfer.to, this.tools));
      return isMoved ? "uncounted" : "not_found";
    }
    const outcome = await transferObject(transfer, entry, this.tools);
    if (outcome !== "large") return outcome;
    const large = await beginLarge(transfer, index, this.tools);
    if (large === null) return "not_found";
    this.#large.push(large);
    return "uncounted";
  }
}
