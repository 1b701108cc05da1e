import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, transform } from "esbuild";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * The style sheet without spaces and comments, which to esbuild are text like any other, and as one of the browser's: Lit takes it as it is,
 * and can leave out what it has for servers and old browsers. On a server there is none.
 */
const browserStyles: Plugin = {
  name: "browser-styles",
  setup(build) {
    build.onLoad({ filter: /embed-element[\\/]src[\\/]styles\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const [template, styles = ""] = /css`([^`]*)`/.exec(source) ?? [];
      if (!template) throw new Error(`There is no style sheet in ${path}.`);
      const { code } = await transform(styles, { loader: "css", minify: true });
      return {
        contents: `export const styles = globalThis.CSSStyleSheet && new CSSStyleSheet();
          styles?.replaceSync(${JSON.stringify(code.trim())});`,
      };
    });
    build.onResolve({ filter: /\/css-tag\.js$/ }, ({ importer }) =>
      importer.endsWith("reactive-element.js") ? { path: at("src/adopt-styles.ts") } : null,
    );
  },
};

/** On a server there is no `HTMLElement` to extend; Lit's own build for servers would bring more than that. */
const safeOnServers: Plugin = {
  name: "safe-on-servers",
  setup(build) {
    build.onLoad({ filter: /[\\/]reactive-element\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const head = `import { HTMLElement } from ${JSON.stringify(at("src/html-element.ts"))};`;
      return { contents: head + source, resolveDir: dirname(path) };
    });
  },
};

/**
 * Options of esbuild's by which the reactive core of Lit gets into our files, without what the element does not use of it: so an integrator installs
 * one package, and whatever Lit their own page has is left alone.
 */
export const litInside = {
  conditions: ["production", "browser"],
  // What Lit names so is for its own parts, and all of them are in our files.
  mangleProps: /^_\$/,
  plugins: [browserStyles, safeOnServers],
};
