// A thread gets no loader of TypeScript from the one that starts it.
import { register } from "tsx/esm/api";

register();
await import("./reader.ts");
