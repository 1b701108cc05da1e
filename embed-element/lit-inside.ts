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

/**
 * What Lit makes of attributes that are booleans, numbers or JSON, and what it writes into attributes: ours are text, or have a converter. And how it
 * tells additions for old browsers, and other Lits of a page, that it is there.
 */
const unused: [RegExp, string][] = [
  [/,\w+=\w+\.reactiveElementPolyfillSupport/, ""],
  [/,\w+\?\.\(\{ReactiveElement:\w+\}\),\(\w+\.reactiveElementVersions\?\?=\[\]\)\.push\("[\d.]+"\)/, ""],
  [/\w+=\w+\.trustedTypes,\w+=\w+\?\w+\.emptyScript:"",/, ""],
  [/=\{toAttribute\(.+?(?=,\w+=\(\w+,\w+\)=>!)/, "={fromAttribute:text=>text}"],
];

/** On a server there is no `HTMLElement` to extend; Lit's own build for servers would bring more than that. */
const coreOfLit: Plugin = {
  name: "core-of-lit",
  setup(build) {
    build.onLoad({ filter: /[\\/]reactive-element\.js$/ }, async ({ path }) => {
      let source = await readFile(path, "utf8");
      for (const [pattern, replacement] of unused) {
        if (!pattern.test(source)) throw new Error(`Lit has changed: ${path} has nothing like ${pattern}.`);
        source = source.replace(pattern, replacement);
      }
      const head = `import { HTMLElement } from ${JSON.stringify(at("src/html-element.ts"))};`;
      return { contents: head + source, resolveDir: dirname(path) };
    });
  },
};

/** Members by which Lit's parts and those who extend its classes know each other. All of them are in our files. */
const betweenPartsOfLit = [
  ...[
    "addController",
    "addInitializer",
    "createProperty",
    "elementStyles",
    "enableUpdating",
    "finalizeStyles",
  ],
  ...["firstUpdated", "fromAttribute", "getPropertyDescriptor", "getPropertyOptions", "getUpdateComplete"],
  ...["hasChanged", "hasUpdated", "hostConnected", "hostDisconnected", "hostUpdate", "hostUpdated"],
  ...["isUpdatePending", "noAccessor", "performUpdate", "removeController", "scheduleUpdate", "shouldUpdate"],
  ...["shadowRootOptions", "toAttribute", "useDefault", "willUpdate", "wrapped"],
];

/** Members by which our own modules know each other, that neither an integrator nor a message has. */
const betweenOurs = [
  ...[
    "afterRefusal",
    "askForFrame",
    "authorized",
    "createIframe",
    "onFailure",
    "onGrant",
    "onResize",
    "onState",
  ],
  ...[
    "ask",
    "element",
    "fail",
    "onVisible",
    "remount",
    "renewal",
    "requestToken",
    "show",
    "speak",
    "visible",
  ],
];

/**
 * Options of esbuild's by which the reactive core of Lit gets into our files, without what the element does not use of it: so an integrator installs
 * one package, and whatever Lit their own page has is left alone.
 */
export const litInside = {
  conditions: ["production", "browser"],
  mangleProps: new RegExp(`^(_\\$.*|${[...betweenPartsOfLit, ...betweenOurs].join("|")})$`),
  plugins: [browserStyles, coreOfLit],
};
