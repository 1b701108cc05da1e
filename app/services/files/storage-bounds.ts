/** What the endpoints take at most, which the page that calls them keeps to. docs/contract.md#storage */

/** bytes; the largest object of S3 */
export const MAX_OBJECT_BYTES = 5 * 1024 ** 4;
/** Parts that are signed in one request. */
export const MOST_PARTS_SIGNED = 100;
/** Downloads that are signed in one request. */
export const MOST_DOWNLOADS_SIGNED = 100;
/** Files and folders that are copied, moved or deleted in one request, and objects in one response to it. */
export const MOST_ITEMS_CHANGED = 1_000;
