import { MAX_PAGE_SIZE } from "../limits.js";
import type { Run } from "./each-call.js";

/** Counting further would cost more requests than a total is worth. */
const MAX_PAGES = 100;

/** The number of objects in folders and their subfolders; null if there are too many pages, or the change has ended meanwhile. @throws a FilesError */
export async function countObjects(
  { call, get, signal }: Run,
  folders: readonly string[],
): Promise<number | null> {
  const unread: { folderPath: string; cursor?: string }[] = folders.map((folderPath) => ({ folderPath }));
  let count = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const request = unread.pop();
    if (!request) return count;
    const listing = await call("list", { ...request, pageSize: MAX_PAGE_SIZE }, signal);
    if (get().status !== "running") return null;
    count += listing.files.length;
    unread.push(...listing.folders.map(({ path }) => ({ folderPath: path })));
    if (listing.nextCursor !== null) unread.push({ ...request, cursor: listing.nextCursor });
  }
  return null;
}
