/**
 * The smallest Remix app there is, compiled as ours is: what every request to Remix costs before anything is done.
 * @type {import("@remix-run/dev").AppConfig}
 */
export default {
  serverModuleFormat: "esm",
  serverPlatform: "node",
  future: {
    v3_fetcherPersist: true,
    v3_relativeSplatPath: true,
    v3_throwAbortReason: true,
    v3_routeConfig: false,
    v3_singleFetch: true,
    v3_lazyRouteDiscovery: true,
  },
};
