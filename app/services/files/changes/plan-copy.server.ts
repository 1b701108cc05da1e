import type { ServiceTools } from "../../../embed/service";
import type { Progress } from "./change-cursor.server";
import { type ChangeItem, keyOrPrefix, nameOf, type Target } from "./change-items";
import type { Copied, CopyRequest } from "./changes-contract.server";
import type { PartBounds } from "./copy-large.server";
import { chooseNumbers, findConflicts, numbered } from "./plan-names.server";

export interface CopyBounds extends PartBounds {
  /** bytes; what is larger is copied by parts. S3 itself copies 5 GiB at once, and takes its time */
  wholeBytes: number;
}

/** What was asked for. */
export interface Copy {
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
export async function planCopy(copy: Copy, from: Progress, tools: ServiceTools) {
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
