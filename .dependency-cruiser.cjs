/**
 * The one direction: routes -> http -> {services, email, campaigns, databases} -> embed -> providers -> env.
 * @type {import("dependency-cruiser").IConfiguration}
 */
module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "packages-are-declared",
      comment: "Each workspace's package.json lists what its files import; the root's lists the rest.",
      severity: "error",
      // These are run by the root's own Playwright.
      from: { pathNot: "^tests/bundlers/" },
      // It takes `peerDependenciesMeta` for a place where a package is not declared.
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm", "npm-dev"] },
    },
    {
      name: "app-knows-nothing-of-local-or-tests",
      severity: "error",
      from: { path: "^app/", pathNot: "\\.test\\.tsx?$" },
      to: { path: "^(local|tests)/" },
    },
    {
      name: "http-below-routes",
      severity: "error",
      from: { path: "^app/http/" },
      to: { path: "^app/(routes|commands)/" },
    },
    {
      name: "domain-below-http",
      comment:
        "Domain code is called by the HTTP layer; it never calls it. A service's page is a route, in the service's folder.",
      severity: "error",
      from: {
        path: "^app/(embed|services|email|campaigns|databases|doctor)/",
        pathNot: "^app/services/[^/]+/page\\.tsx$",
      },
      to: { path: "^app/(routes|commands|http)/" },
    },
    {
      name: "pages-are-routes",
      comment: "Only Remix's compiler imports them, and tests that do its work.",
      severity: "error",
      from: { path: "^(app|local)/" },
      to: { path: "^app/services/[^/]+/page\\.tsx$" },
    },
    {
      name: "embed-below-domain",
      comment: "Services, e-mail, campaigns and databases use embed/ and locales/, never the reverse.",
      severity: "error",
      from: { path: "^app/(embed|locales)/", pathNot: "\\.test\\.tsx?$" },
      to: { path: "^app/(services|email|campaigns|databases)/" },
    },
    {
      name: "http-knows-services-by-their-registry",
      severity: "error",
      from: { path: "^app/http/", pathNot: "\\.test\\.ts$" },
      to: { path: "^app/services/", pathNot: "^app/services/registry\\.server\\.ts$" },
    },
    {
      name: "providers-below-domain",
      severity: "error",
      from: { path: "^app/providers/" },
      to: { path: "^app/(routes|commands|http|embed|services|email|campaigns|databases|doctor)/" },
    },
    {
      name: "shared-is-used-by-all",
      comment:
        "Errors, the log, retries and the request's context: every layer uses them, and they use no layer.",
      severity: "error",
      from: { path: "^app/shared/" },
      to: { path: "^app/", pathNot: "^app/shared/" },
    },
    {
      name: "env-is-the-bottom",
      severity: "error",
      from: { path: "^app/env(/|\\.server\\.ts$)" },
      to: { path: "^app/", pathNot: "^app/env/" },
    },
    {
      name: "sdks-only-in-providers",
      severity: "error",
      from: { path: "^app/", pathNot: "^app/providers/|\\.test\\.tsx?$" },
      to: {
        path: "node_modules/(@aws-sdk|@prisma|pg)/|^prisma/generated",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "element-stands-alone",
      comment:
        "embed-element is a package of its own. Its build takes the sentences from the app's languages.",
      severity: "error",
      from: { path: "^embed-element/", pathNot: "^embed-element/languages\\.ts$" },
      to: { path: "^(app|local|prisma|tests)/" },
    },
    {
      name: "the-app-shares-two-files-with-the-element",
      comment:
        "protocol.ts, which the frame and the tag speak, and doctor/core.ts, on which both doctors are built. The package cannot import the app, so both are in the package.",
      severity: "error",
      from: { path: "^app/" },
      to: { path: "^embed-element/", pathNot: "^embed-element/(protocol|doctor/core)\\.ts$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "prisma/generated/|/dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
