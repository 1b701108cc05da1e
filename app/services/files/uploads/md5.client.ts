/**
 * In a file of its own, so that it is loaded on demand without the rest of the library. For browsers only: otherwise the server would
 * need the library to start.
 */
export { createMD5 } from "hash-wasm";
