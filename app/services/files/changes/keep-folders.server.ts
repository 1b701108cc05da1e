import { AppError } from "../../../app-error";
import type { ServiceTools } from "../../../embed/service";
import { mapConcurrently } from "../../../map-concurrently";
import { type ChangeItem, parentOf, prefixOf } from "./change-items";
import { isFolderThere } from "./plan-names.server";

const AT_ONCE = 16;

/**
 * A folder that nobody made is there only as long as it holds something. Where the last item of one was taken away, it is made, so that
 * whoever has it open does not see it vanish. docs/decisions/0067
 */
export async function keepFoldersOf(
  bucket: string,
  items: readonly ChangeItem[],
  tools: Pick<ServiceTools, "objectStore" | "request">,
): Promise<void> {
  const parents = new Set(items.map(({ path }) => parentOf(path)));
  parents.delete("/");
  await mapConcurrently([...parents], AT_ONCE, async (folder) => {
    const key = prefixOf(folder);
    if (await isFolderThere(bucket, key, tools)) return;
    await tools.objectStore.createFolder({ bucket, key }, tools.request).catch((error: unknown) => {
      // Somebody has put something there meanwhile.
      const code = error instanceof AppError ? error.code : undefined;
      if (code !== "name_taken" && code !== "upload_conflict") throw error;
    });
  });
}
