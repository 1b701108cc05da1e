import type { paths } from "./contract.js";

type StoragePath = Extract<keyof paths, `/api/embed/storage/${string}`>;
/** Those that take a POST. */
type Path = { [Path in StoragePath]: paths[Path] extends { post: unknown } ? Path : never }[StoragePath];

/** By path below `/api/embed/storage/`. */
export type OperationName = Path extends `/api/embed/storage/${infer Name}` ? Name : never;

type OperationOf<Name extends OperationName> = paths[`/api/embed/storage/${Name}`]["post"];
type Json<Body> = Body extends { content: { "application/json": infer Content } } ? Content : never;
/** The engine adds token and bucket. */
type WithoutAddress<Body> = Body extends object ? Omit<Body, "token" | "bucket"> : never;

export type RequestOf<Name extends OperationName> = WithoutAddress<Json<OperationOf<Name>["requestBody"]>>;
export type ResultOf<Name extends OperationName> = Json<OperationOf<Name>["responses"][200]>;
