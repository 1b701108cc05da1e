/** In a file of its own, so that it is loaded on demand without the rest of the library. */
export { createMD5 } from "hash-wasm";
