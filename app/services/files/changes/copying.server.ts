import type { ServiceTools } from "../../../embed/service";
import type { Author } from "../../../events/event";
import { PendingChange } from "../../../events/pending-change.server";
import type { ListedObject } from "../../../providers/listings.server";
import { isAtBeginning, type Progress } from "./change-cursor.server";
import { keyOrPrefix, type Target } from "./change-items";
import { abandonLarge, countLarge, startLarge } from "./copy-large.server";
import { copyObject, type ObjectCopy } from "./copy-object.server";
import {
  endChange,
  Outcomes,
  positionAfter,
  runBounded,
  type WalkedEntry,
  walkObjects,
} from "./each-object.server";
import { keepFoldersOf } from "./keep-folders.server";
import { type Copy, isFolderThere, numbered } from "./plan-copy.server";
import { UndoList } from "./undo.server";

/** The work of one request to copy or move. */
export class Copying {
  readonly outcomes: Outcomes;
  /** the copies that this request has created */
  readonly created = new UndoList("created");
  /** multipart copies that are under way */
  #large: NonNullable<Progress["large"]>;
  readonly #targets: readonly Target[];

  /** @param holder of the request's claims */
  constructor(
    private readonly copy: Copy,
    private readonly progress: Progress,
    private readonly holder: string,
    private readonly author: Author,
    private readonly tools: ServiceTools,
  ) {
    this.outcomes = new Outcomes(tools.context);
    this.#large = progress.large ?? [];
    const { numbers = [] } = progress;
    this.#targets = copy.targets.map((target, index) => numbered(target, numbers[index] ?? 0));
  }

  /** Where to continue; null when all is done. */
  async run(): Promise<Progress | null> {
    const { bucket, items, isMove, bounds } = this.copy;
    if (isMove && isAtBeginning(this.progress))
      await keepFoldersOf(bucket, items, this.#targets, bounds, this.author, this.tools);
    await this.#continueLarge();
    // Large objects that have been begun are finished first.
    if (this.#large.length > 0) return this.#progressAt(undefined);
    const { objectStore, context } = this.tools;
    const found = walkObjects(items, this.progress, (prefix, after) =>
      objectStore.listBelow({ bucket, prefix, after }, context),
    );
    const { last, isComplete } = await runBounded(
      found,
      bounds,
      (object) => this.outcomes.count(object.key, this.#copyObject(object)),
      () => this.#large.length > 0 || this.created.isFull,
    );
    return isComplete && this.#large.length === 0 ? null : this.#progressAt(last);
  }

  /** Discards the parts of large objects. */
  async giveUp(): Promise<void> {
    for (const large of this.#large) {
      const objectCopy = this.#objectCopyOf(large);
      if (objectCopy !== null) await abandonLarge(objectCopy, large, this.tools);
    }
  }

  #progressAt(last: WalkedEntry<unknown> | undefined): Progress {
    return { ...this.progress, ...(last && positionAfter(last)), large: this.#large };
  }

  async #continueLarge(): Promise<void> {
    const [large, ...others] = this.#large;
    const objectCopy = large && this.#objectCopyOf(large);
    if (!objectCopy) return;
    const outcome = await countLarge(this.outcomes, objectCopy, large, this.copy.bounds, this.tools);
    if (outcome !== "more") this.#large = others;
  }

  /** Null for an object that stays where it is. */
  #objectCopyOf({ index, key }: { index: number; key: string }): ObjectCopy | null {
    const { items, bucket, isMove, onConflict, maxFileBytes, requireTag, room, bounds, moveBack } = this.copy;
    const [item, target] = [items[index], this.#targets[index]];
    if (item === undefined || target === undefined || item.path === target.path) return null;
    const to = keyOrPrefix(target) + key.slice(keyOrPrefix(item).length);
    const { maxSingleCopyBytes } = bounds;
    const overwrite = onConflict === "replace";
    const type = isMove ? "file.moved" : "file.copied";
    const event = { ...this.author, type, bucket, key: to, data: { from: key } } as const;
    const change = new PendingChange(this.tools.events, event);
    const limits = { maxFileBytes, maxSingleCopyBytes, requireTag, room };
    const objectCopy = { bucket, key, to, isMove, overwrite, ...limits, moveBack, change };
    if (!isMove) return { ...objectCopy, onCreated: (copy) => this.created.add(copy) };
    const both = [key, to].map((name) => ({ bucket, key: name }));
    return { ...objectCopy, isClaimed: () => this.tools.claims.holds(this.holder, both) };
  }

  async #copyObject({ index, key, entry }: WalkedEntry<ListedObject>) {
    const objectCopy = this.#objectCopyOf({ index, key });
    if (objectCopy === null) return "uncounted";
    // Two items of the same name never overwrite each other.
    if (objectCopy.overwrite && this.#targets[index]?.isDuplicate) return "name_taken";
    if (this.copy.items[index]?.isFolder && entry === undefined) {
      const isMoved =
        objectCopy.isMove && (await isFolderThere(objectCopy.bucket, objectCopy.to, this.tools));
      return isMoved ? "uncounted" : "not_found";
    }
    const outcome = await endChange(objectCopy.change, copyObject(objectCopy, entry, this.tools));
    if (outcome !== "large") return outcome;
    const large = await startLarge(objectCopy, index, this.tools);
    if (large === null) return "not_found";
    if (large === "quota_exceeded") return large;
    this.#large.push(large);
    return "uncounted";
  }
}
