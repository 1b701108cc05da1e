import { existsSync, readdirSync } from "node:fs";

/** @type {import("@remix-run/dev").AppConfig} */
export default {
  server: "app/server.ts",
  serverModuleFormat: "esm",
  serverPlatform: "node",
  // Tests are beside the code that they test.
  ignoredRouteFiles: ["**/*.test.*"],
  // The page of an embedded service is a route in the service's folder. `routes/embed.$service.tsx` answers for all other services. Its
  // further pages are in folders of that folder. They have no path: the server renders them at the address of their service.
  routes: (defineRoutes) =>
    defineRoutes((route) => {
      for (const key of readdirSync("app/services")) {
        const page = `services/${key}/page.tsx`;
        if (!existsSync(`app/${page}`)) continue;
        route(`embed/${key}`, page);
        for (const folder of readdirSync(`app/services/${key}`)) {
          const furtherPage = `services/${key}/${folder}/page.tsx`;
          if (existsSync(`app/${furtherPage}`)) route(undefined, furtherPage);
        }
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
