import type { UsableCatalogue } from "../../../catalogue/usable-catalogues.server";
import type { ServiceTools } from "../../../embed/service";
import type { FilesScope } from "./scope.server";
import { isHandInPage } from "./scope-guards.server";

/**
 * The catalogue that may answer in place of the store for a token; undefined if there is none. A catalogue knows no tags, so it says nothing about
 * files that have to be checked first, and a hand-in page shows nothing of what is stored.
 */
export async function catalogueFor(
  scope: FilesScope,
  { catalogues }: Pick<ServiceTools, "catalogues">,
): Promise<UsableCatalogue | undefined> {
  return scope.requireTag === undefined && !isHandInPage(scope) ? catalogues.find(scope.bucket) : undefined;
}
