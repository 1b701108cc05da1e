import { moduleLoader } from "./load-module.js";

export type OnDemand = typeof import("./on-demand.js");

/**
 * Loads what the first change, upload or archive needs, so that a list of files costs less. It is one module for all of them: a bundler makes
 * a file of its own of each set of modules that the same imports reach, so every further `import()` would split the first list's code.
 */
export const loadOnDemand: () => Promise<OnDemand> = /* @__PURE__ */ moduleLoader(
  () => import("./on-demand.js"),
);
