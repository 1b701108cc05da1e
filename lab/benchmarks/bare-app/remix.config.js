import { readdirSync } from "node:fs";
import { basename } from "node:path";

/**
 * A Remix app that does nothing. It is compiled like ours and has as many routes, because Remix's router checks all of them on
 * each request.
 * @type {import("@remix-run/dev").AppConfig}
 */
export default {
  serverModuleFormat: "esm",
  serverPlatform: "node",
  routes: (defineRoutes) =>
    defineRoutes((route) => {
      route("/nothing", "routes/nothing.ts", { id: "nothing" });
      for (const file of readdirSync("../../../app/routes")) {
        const name = basename(basename(file, ".ts"), ".tsx");
        const path = name
          .replaceAll("[.]", "\0")
          .replaceAll(".", "/")
          .replaceAll("\0", ".")
          .replaceAll("$", ":")
          .replace(/^:$/, "*");
        if (name === "_index") route("", "routes/nothing.ts", { id: name, index: true });
        else route(path, "routes/nothing.ts", { id: name });
      }
    }),
  // All routes are defined above; file names define none.
  ignoredRouteFiles: ["**/*"],
  future: {
    v3_fetcherPersist: true,
    v3_relativeSplatPath: true,
    v3_throwAbortReason: true,
    v3_routeConfig: false,
    v3_singleFetch: true,
    v3_lazyRouteDiscovery: true,
  },
};
