import { lazyPanel } from "../screen/lazy-panel";

/** The menus, and what draws changes. */
export const LazyChanges = lazyPanel(() => import("./changes-with-menus"));
