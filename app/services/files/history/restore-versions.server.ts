import { nameOf } from "platform-embed-element/client";
import type { ServiceTools } from "../../../embed/service";
import { authorOf } from "../../../events/event";
import { continueRequest, type LargeCopy, type Progress } from "../changes/change-cursor.server";
import { copyBounds, countLarge, startLarge } from "../changes/copy-large.server";
import type { ObjectCopy } from "../changes/copy-object.server";
import { type CreatedObject, Outcomes, runBounded } from "../changes/each-object.server";
import { claimNumbers, numbered } from "../changes/plan-copy.server";
import { copyOf, restoreVersion } from "../changes/restore-version.server";
import { signUndo, UndoList } from "../changes/undo.server";
import type { Restored, RestoreFailure } from "../place/contract/changes-contract.server";
import type { RestoreVersionsRequest } from "../place/contract/history-contract.server";
import { askOnceWhetherKeepsVersions } from "../place/keeps-versions.server";
import { roomOf } from "../place/room.server";
import { allows, type FilesGrant } from "../place/scope-guards.server";
import { assertVersionsInScope } from "./history-guards.server";

/**
 * Makes versions the newest of their files again, up to one request's limits. The cursor continues. Deleted files are restored, whoever
 * deleted them and however long ago. No state is kept on the server: the cursor contains the progress.
 * @throws AppError `scope_not_allowed`, `invalid_request`, `upload_conflict`, and those of the store
 */
export async function restoreVersions(
  { bucket, items, onConflict, cursor }: RestoreVersionsRequest,
  grant: FilesGrant,
  tools: ServiceTools,
  bounds = copyBounds,
): Promise<Restored> {
  const { scope, companyId } = grant;
  assertVersionsInScope("history", { bucket, items }, scope);
  const author = authorOf(grant, tools.context);
  const request = { companyId, bucket, items, onConflict };
  const { progress, cursorAt, longChange } = continueRequest(request, cursor, tools);
  const room = roomOf(grant, tools);
  const limits = { maxSingleCopyBytes: bounds.maxSingleCopyBytes, requireTag: scope.requireTag, room };
  const outcomes = new Outcomes<RestoreFailure>(tools.context);
  const renamed: NonNullable<Restored["renamed"]> = [];
  const created = new UndoList("created");
  let large = progress.large ?? [];
  let unchanged = 0;
  const keepsVersions = askOnceWhetherKeepsVersions(bucket, tools);

  const copies = large.flatMap(({ to }) => (to === undefined ? [] : { key: to }));
  const names = [...items, ...copies].map(({ key }) => ({ bucket, key }));
  return tools.claims.during(names, tools.context, restoreAll, longChange);

  /** @param holder of the claims */
  async function restoreAll(holder: string): Promise<Restored> {
    // Copies in parts that an earlier request has started are finished first.
    const [started, ...others] = large;
    if (started !== undefined) {
      if (!(await isCopied(started))) return respond(progress);
      large = others;
    }
    if (large.length > 0) return respond({ ...progress, large });

    const remaining = [...items.entries()].slice(progress.index);
    const { last, isComplete } = await runBounded(
      remaining,
      bounds,
      async ([index, { key, versionId }]) => {
        const options = {
          onConflict,
          ...limits,
          keepsVersions,
          chooseName: () => numberedKey(key, holder),
          onCreated: (file: CreatedObject) => created.add(file),
        };
        const work = async () => {
          const { outcome, objectCopy } = await restoreVersion(
            { bucket, key, versionId },
            options,
            author,
            tools,
          );
          if (outcome === "unchanged") {
            unchanged += 1;
            return "done";
          }
          if (outcome === "large") return objectCopy ? start(objectCopy, index) : "uncounted";
          if (outcome === "done" && objectCopy) noteName(objectCopy);
          return outcome;
        };
        await outcomes.count(key, work());
      },
      () => large.length > 0 || created.isFull,
    );
    const isDone = isComplete && large.length === 0;
    return respond(isDone ? null : { index: last === undefined ? progress.index : last[0] + 1, large });
  }

  async function respond(next: Progress | null): Promise<Restored> {
    // Without versions, what is deleted is lost.
    const isUndoable = allows("delete", scope) && created.objects.length > 0;
    const undo = isUndoable && (await keepsVersions()) && signUndo(created, bucket, grant, tools);
    return {
      restored: outcomes.done,
      failed: outcomes.failed,
      ...(unchanged > 0 && { unchanged }),
      ...(renamed.length > 0 && { renamed }),
      cursor: cursorAt(next),
      ...(undo && { undo }),
    };
  }

  async function numberedKey(key: string, holder: string): Promise<string> {
    const target = { path: `/${key}`, isFolder: false, isDuplicate: false };
    const [number = 0] = await claimNumbers(bucket, [target], holder, tools);
    return numbered(target, number).path.slice(1);
  }

  function noteName({ key, to }: ObjectCopy): void {
    if (to !== key) renamed.push({ key, name: nameOf(to) });
  }

  async function start(
    objectCopy: ObjectCopy,
    index: number,
  ): Promise<"uncounted" | "not_found" | "quota_exceeded"> {
    const copy = await startLarge(objectCopy, index, tools);
    if (copy === null) return "not_found";
    if (copy === "quota_exceeded") return copy;
    large.push({ ...copy, to: objectCopy.to });
    return "uncounted";
  }

  /** Continues a copy in parts. @returns whether it has ended, with success or not */
  async function isCopied(copy: LargeCopy): Promise<boolean> {
    const item = items[copy.index];
    if (item === undefined) return true;
    const objectCopy = copyOf({ bucket, ...item, to: copy.to ?? item.key }, limits, author, tools);
    const outcome = await countLarge(outcomes, objectCopy, copy, bounds, tools);
    if (outcome === "done") noteName(objectCopy);
    return outcome !== "more";
  }
}
