import { readdirSync } from "node:fs";
import { basename } from "node:path";

/**
 * A Remix app in which nothing is done, compiled as ours is and with as many addresses: the router goes through all of them
 * on each request, so that is part of what Remix costs and not of what we do.
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
  // No file is a route by its name here.
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
