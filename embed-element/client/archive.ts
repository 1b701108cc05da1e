/**
 * Makes the bytes of an archive where there is no client, such as in a service worker: of the `entries` of a `Zip`, with its `sign`. It has an
 * entry point of its own, because bundlers put all that an entry point exports into the first file of a page.
 */
export { archiveBytes } from "./downloads/zip/archive-bytes.js";
export { zipLength } from "./downloads/zip/zip-bytes.js";
