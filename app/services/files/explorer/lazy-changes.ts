import { lazyPanel } from "../screen/lazy-panel";

/** The menus, and what carries changes out. */
export const LazyChanges = lazyPanel(() => import("./changes-with-menus"));
