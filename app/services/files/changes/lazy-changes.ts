import { lazyPanel } from "../screen/lazy-panel";

/** Menus, dialogs and the queue that carries changes out. */
export const LazyChangesPanel = lazyPanel(() => import("./changes-panel"));
