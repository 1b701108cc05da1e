import { joinPath, nameOf, parentOf, prefixOf } from "platform-embed-element/client";
import { numberedName, takeNumber } from "../../../../embed-element/shared/numbered-name";
import type { ServiceTools, StoreTools } from "../../../embed/service";
import { mapConcurrently } from "../../../shared/map-concurrently";
import { SharedCalls } from "../../../shared/shared-calls";
import type { Copied, CopyRequest } from "../place/contract/changes-contract.server";
import type { Room } from "../place/room.server";
import type { RequiredTag } from "../place/scope.server";
import type { Progress } from "./change-cursor.server";
import { type ChangeItem, keyOrPrefix, type Target } from "./change-items";
import type { CopyBounds } from "./copy-large.server";
import type { MoveBack } from "./move-back.server";
import { isCopyOf } from "./recognize-copy.server";

/** What was asked for. */
export interface Copy {
  bucket: string;
  items: readonly ChangeItem[];
  targets: readonly Target[];
  isMove: boolean;
  onConflict: CopyRequest["onConflict"];
  /** of a move; see `ObjectCopy.moveBack` */
  moveBack?: MoveBack | undefined;
  /** larger objects are not copied, by the token's limit; undefined without one, and for a move */
  maxFileBytes?: number | undefined;
  /** see `checkedVersion` */
  requireTag?: RequiredTag | undefined;
  /** see `ObjectCopy.room` */
  room?: Room | undefined;
  bounds: CopyBounds;
}

/** Maximum number of names that are looked up at a time; the time limit is checked after each batch of them. */
const MAX_CONCURRENT_LOOKUPS = 16;

/**
 * Finds out which names are taken, or chooses other names, before anything is copied. Stops at one request's time limit.
 * @param holder of the request's claims; names that are chosen become the holder's
 * @returns `progress.planned` is undefined once all names are known
 */
export async function planCopy(copy: Copy, from: Progress, holder: string, tools: ServiceTools) {
  const { items, onConflict, bounds } = copy;
  const end = performance.now() + bounds.ms;
  const taken = [...(from.taken ?? [])];
  const numbers = [...(from.numbers ?? [])];
  let planned = from.planned ?? 0;
  do {
    const range = { from: planned, until: Math.min(planned + MAX_CONCURRENT_LOOKUPS, items.length) };
    if (onConflict === "fail") taken.push(...(await findTaken(copy, range, tools)));
    else numbers.push(...(await continueNumbers(copy, range, numbers, holder, tools)));
    planned = range.until;
  } while (planned < items.length && performance.now() < end);
  const { planned: _, taken: __, ...rest } = from;
  const named = onConflict === "keep-both" ? { ...rest, numbers } : rest;
  if (planned < items.length) return { conflicts: [], progress: { ...named, planned, taken } };
  return { conflicts: taken.flatMap((index) => conflictOf(copy, index)), progress: named };
}

/** Indexes of items: `from`, and those after it that are less than `until`. */
interface ItemRange {
  from: number;
  until: number;
}

/** Whether an item is moved to where it is: then its name is not taken, and stays. */
const staysInPlace = ({ isMove, items, targets }: Copy, index: number) =>
  isMove && items[index]?.path === targets[index]?.path;

function conflictOf({ items, targets }: Copy, index: number): Copied["conflicts"] {
  const item = items[index];
  const target = targets[index];
  if (item === undefined || target === undefined) return [];
  const source = item.isFolder ? { folderPath: item.path } : { key: keyOrPrefix(item) };
  return [{ name: nameOf(target.path), ...source }];
}

/** For each item of the range the number in its new name. @param numbers those of all items before the range */
async function continueNumbers(
  copy: Copy,
  { from, until }: ItemRange,
  numbers: readonly number[],
  holder: string,
  tools: ServiceTools,
): Promise<number[]> {
  const placed = copy.targets
    .slice(0, numbers.length)
    .map((target, index) => numbered(target, numbers[index] ?? 0));
  const targets = copy.targets.slice(from, until);
  const chosen = await claimNumbers(copy.bucket, targets, holder, tools, placed);
  return chosen.map((number, index) => (staysInPlace(copy, from + index) ? 0 : number));
}

/**
 * The indexes of the items of the range whose name is taken. A file with the same bytes does not take the name: an earlier
 * attempt of this request has copied it. If the source is gone, the name is not taken either: the source has been moved.
 */
async function findTaken(
  copy: Copy,
  { from, until }: ItemRange,
  { objectStore, context }: StoreTools,
): Promise<number[]> {
  const { bucket, items, targets, isMove, moveBack } = copy;
  const isTaken = async (target: Target, item: ChangeItem): Promise<boolean> => {
    if (target.isDuplicate) return true;
    const key = keyOrPrefix(target);
    if (target.isFolder) return isFolderThere(bucket, key, { objectStore, context });
    const existing = await objectStore.describeObject({ bucket, key }, context);
    if (existing === null) return false;
    if (item.path === target.path) return true;
    const location = { bucket, key: keyOrPrefix(item), to: key, isMove };
    const source = await objectStore.describeObject(location, context);
    if (source === null || (await moveBack?.isInterrupted(location, source, existing))) return false;
    return !(await isCopyOf(source, existing, location, { objectStore, context }));
  };
  const batch = [...targets.entries()].slice(from, until);
  const taken = await mapConcurrently(batch, MAX_CONCURRENT_LOOKUPS, async ([index, target]) => {
    const item = items[index];
    return item !== undefined && (await isTaken(target, item)) ? index : [];
  });
  return taken.flat().filter((index) => !staysInPlace(copy, index));
}

async function isThere(bucket: string, target: ChangeItem, tools: StoreTools): Promise<boolean> {
  const key = keyOrPrefix(target);
  if (target.isFolder) return isFolderThere(bucket, key, tools);
  return (await tools.objectStore.describeObject({ bucket, key }, tools.context)) !== null;
}

export async function isFolderThere(
  bucket: string,
  prefix: string,
  { objectStore, context }: StoreTools,
): Promise<boolean> {
  const { entries } = await objectStore.listBelow({ bucket, prefix, pageSize: 1 }, context);
  return entries.length > 0;
}

/**
 * As `chooseNumbers`, and claims the names, so that nobody else who chooses names meanwhile takes the same ones.
 * @param holder of the request's claims
 */
export async function claimNumbers(
  bucket: string,
  targets: readonly Target[],
  holder: string,
  tools: ServiceTools,
  placed: readonly Target[] = [],
): Promise<number[]> {
  const refused: Target[] = [];
  for (;;) {
    const numbers = await chooseNumbers(bucket, targets, tools, [...placed, ...refused]);
    const named = targets.map((target, index) => numbered(target, numbers[index] ?? 0));
    const isClaimed = await tools.claims.takeNames(
      holder,
      named.map((target) => ({ bucket, key: keyOrPrefix(target) })),
    );
    // Whoever had claimed a name may have used it since the names were listed.
    const lost = await mapConcurrently(
      [...named.entries()],
      MAX_CONCURRENT_LOOKUPS,
      async ([index, target]) => (!isClaimed[index] || (await isThere(bucket, target, tools)) ? target : []),
    );
    if (lost.flat().length === 0) return numbers;
    refused.push(...lost.flat());
  }
}

/**
 * For each target the number that makes its name free, in the store and among the targets; 0 if the name is free as it is.
 * @param placed other targets, whose names have been chosen
 */
export async function chooseNumbers(
  bucket: string,
  targets: readonly Target[],
  tools: StoreTools,
  placed: readonly Target[] = [],
): Promise<number[]> {
  // Targets with the same name continue each other's numbers. Those whose names differ in their number alone share one listing.
  const byKey = new Map(targets.map((target) => [keyOrPrefix(target), target]));
  const listings = new SharedCalls<string, NumbersByExtension>(true);
  const found = await mapConcurrently([...byKey], MAX_CONCURRENT_LOOKUPS, async ([key, target]) => {
    const isTaken = await isThere(bucket, target, tools);
    const { stem, extension, number: own } = takeNumber(nameOf(target.path), target.isFolder);
    const begin = `${prefixOf(parentOf(target.path))}${stem}`;
    const listing = isTaken ? await listings.get(begin, () => listNumbers(bucket, begin, tools)) : undefined;
    const numbers = listing?.get(extension);
    // There may be very many numbers, so no path is made to look one up.
    const isStored = (number: number) => (number === 0 ? isTaken : numbers?.has(own + number) === true);
    return [key, { isStored, next: 0 }] satisfies [string, object];
  });
  const names = new Map(found);
  const chosen = new Set(placed.map(({ path }) => path));
  return targets.map((target) => {
    const name = names.get(keyOrPrefix(target)) ?? { isStored: () => false, next: 0 };
    let number = name.next;
    while (name.isStored(number) || chosen.has(numbered(target, number).path)) number += 1;
    name.next = number + 1;
    chosen.add(numbered(target, number).path);
    return number;
  });
}

/** The target with a number in its name: `a (1).txt`; with 0, the target itself. */
export function numbered<Item extends ChangeItem>(target: Item, number: number): Item {
  const name = numberedName(nameOf(target.path), target.isFolder, number);
  return { ...target, path: joinPath(parentOf(target.path), name) };
}

/** The numbers in names of one beginning, by what follows them. */
type NumbersByExtension = ReadonlyMap<string, ReadonlySet<number>>;

/** @param begin what all keys begin with: of `docs/a (1).txt` and `docs/a (2).pdf`, `docs/a` */
async function listNumbers(bucket: string, begin: string, tools: StoreTools): Promise<NumbersByExtension> {
  const { objectStore, context } = tools;
  const prefix = `${begin} (`;
  const numbers = new Map<string, Set<number>>();
  let cursor: string | undefined;
  do {
    const page = await objectStore.list({ bucket, prefix, cursor }, context);
    for (const key of [...page.prefixes, ...page.objects.map((object) => object.key)]) {
      // With a zero at its beginning it is none of ours.
      const [, digits, extension = ""] = /^([1-9]\d{0,15})\)([^/]*)/.exec(key.slice(prefix.length)) ?? [];
      if (digits === undefined) continue;
      const those = numbers.get(extension) ?? new Set();
      numbers.set(extension, those.add(Number(digits)));
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return numbers;
}
