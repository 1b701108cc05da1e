/** Limits of the storage endpoints, for the engine and for the server. docs/contract.md#storage */

/** The largest object of S3. */
export const MAX_OBJECT_BYTES = 5 * 1024 ** 4;
/** Files from this size on are sent in parts, as multipart uploads. */
export const MIN_MULTIPART_BYTES = 16 * 1024 ** 2;
/** How long a multipart upload may take, and how long a bucket keeps its parts. */
export const MAX_UPLOAD_DAYS = 7;
/** Parts of an upload that one request signs. */
export const MAX_SIGNED_PARTS = 100;
/** Uploads that one request confirms. */
export const MAX_CONFIRMED_UPLOADS = 100;
/** Receipts of a hand-in page that one request confirms: each has up to 2 kB. */
export const MAX_CONFIRMED_RECEIPTS = 20;
/** Downloads that one request signs. */
export const MAX_SIGNED_DOWNLOADS = 100;
/** Files and folders in one request to copy, move or delete, and objects in one response. */
export const MAX_CHANGED_ITEMS = 1_000;
/** Entries of one page of a folder. */
export const MAX_PAGE_SIZE = 1_000;
/** A request that asks the store about more objects than this, one by one, counts as a heavy one. */
export const MAX_LIGHT_LOOKUPS = 10;
/**
 * An embed token is a member of the body, so the server can check it only once it has read the body. A larger body must therefore have the
 * token in its header `Authorization: Bearer …` as well. Bytes; enough for a thousand keys of 250 bytes. docs/contract.md#requests
 */
export const MAX_BYTES_WITHOUT_TOKEN_HEADER = 256 * 1024;
