import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { buildSync } from "esbuild";

// PDF.js is served as it comes, from our own origin: the compiler's esbuild breaks its static private fields.
// The version in the path lets it be cached without the library ever meeting a worker of another version.
const pdfjs = "node_modules/pdfjs-dist";
const { version } = JSON.parse(readFileSync(`${pdfjs}/package.json`, "utf8"));
for (const file of ["pdf.min.mjs", "pdf.worker.min.mjs"]) {
  cpSync(`${pdfjs}/build/${file}`, `public/pdfjs/${version}/${file}`);
}
// Character maps, the fonts that a document need not bring, and decoders: each is loaded by the documents that need it.
for (const folder of ["cmaps", "standard_fonts", "wasm"]) {
  cpSync(`${pdfjs}/${folder}`, `public/pdfjs/${version}/${folder}`, { recursive: true });
}

// A service worker needs an address that stays, whatever its content: browsers look there for a newer one.
buildSync({
  entryPoints: ["app/services/files/transfers/zip/worker.ts"],
  outfile: "public/embed-downloads/worker.js",
  bundle: true,
  minify: true,
  target: "es2022",
});

// In a page before anything else runs: it is read from there, and served nowhere.
buildSync({
  entryPoints: ["app/embed/frame/early-script.ts"],
  outfile: "build/early-script.js",
  bundle: true,
  minify: true,
  target: "es2022",
});

/** @type {import("@remix-run/dev").AppConfig} */
export default {
  serverModuleFormat: "esm",
  serverPlatform: "node",
  // Tests live beside the code they test; they are not addresses.
  ignoredRouteFiles: ["**/*.test.*"],
  // The page of an embedded service is a route in the service's folder. All other keys are answered by `routes/embed.$service.tsx`.
  routes: (defineRoutes) =>
    defineRoutes((route) => {
      for (const key of readdirSync("app/services")) {
        const page = `services/${key}/page.tsx`;
        if (existsSync(`app/${page}`)) route(`embed/${key}`, page);
      }
    }),
  future: {
    v3_fetcherPersist: true,
    v3_relativeSplatPath: true,
    v3_throwAbortReason: true,
    v3_routeConfig: false,
    v3_singleFetch: true,
    v3_lazyRouteDiscovery: true,
  },
};
