import { loadOnDemand } from "../load-on-demand.js";
import type { FollowContext } from "./follow-context.js";

/** Follows a folder once the code for it has loaded. Without that, the folder is as it was listed. @returns a function that stops it */
export function follow(context: FollowContext): () => void {
  const abort = new AbortController();
  loadOnDemand()
    .then(({ followFolder }) => followFolder(context, abort.signal))
    .catch(() => {});
  return () => abort.abort();
}
