// The analyzer has types for its plugins, but none for its own functions.

declare module "@custom-elements-manifest/analyzer/index.js" {
  export const ts: typeof import("typescript");
  export function create(options: {
    modules: import("typescript").SourceFile[];
    plugins: unknown[];
    dev: boolean;
  }): import("custom-elements-manifest/schema").Package;
}

declare module "@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js" {
  export function litPlugin(): unknown[];
}
