import type { StoreTools } from "../../../embed/service";

/** Returns a function that tells whether the bucket keeps versions. It asks the store when it is first called, and only then. */
export function askOnceWhetherKeepsVersions(
  bucket: string,
  { objectStore, context }: StoreTools,
): () => Promise<boolean> {
  let known: Promise<boolean> | undefined;
  return () => (known ??= objectStore.keepsVersions(bucket, context));
}
