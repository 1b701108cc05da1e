/** The folders of app/ from top to bottom. A folder imports only from its own line and from lines below. */
const layers = [
  ["routes", "commands"],
  ["http"],
  ["doctor"],
  ["services", "email", "campaigns", "databases", "webhooks"],
  ["embed", "events", "catalogue"],
  ["providers"],
  ["env"],
];
/** The server and Remix's entries, which only commands import. */
const entries = "^app/(server|root|entry\\.client|entry\\.server)\\.tsx?$";
const inFolders = (names) => `^app/(${names.join("|")})/`;
/** A service's page is a route, in the service's folder, and so are its further pages. */
const page = "^app/services/.+/page\\.tsx$";
const test = "\\.test\\.tsx?$";

const layerRules = layers.slice(1).map((names, index) => ({
  name: `${names.join("-")}-imports-nothing-above`,
  severity: "error",
  from: { path: inFolders(names), pathNot: [page, `^app/embed/.*${test}`] },
  to: { path: [inFolders(layers.slice(0, index + 1).flat()), entries] },
}));

/**
 * The folders of services/files from top to bottom. A folder imports only from itself and from the lines below. What lies loose beside them
 * puts them together, so no folder imports it.
 */
const floorsOfFiles = [
  ["explorer", "hand-in"],
  ["recent"],
  ["page-requests", "details"],
  ["history", "search", "downloads", "preview", "uploads"],
  ["changes"],
  ["browse"],
  ["screen", "place"],
];
const inFiles = (names) => `^app/services/files/(${names.join("|")})/`;
const floorRules = floorsOfFiles.flatMap((names, index) =>
  names.map((name) => ({
    name: `files-${name}-imports-only-from-lower-floors`,
    severity: "error",
    from: { path: inFiles([name]), pathNot: test },
    to: {
      path: "^app/services/files/",
      pathNot: inFiles([name, ...floorsOfFiles.slice(index + 1).flat()]),
    },
  })),
);

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...layerRules,
    ...floorRules,
    {
      name: "folders-of-files-have-a-floor",
      comment: "A new folder belongs into `floorsOfFiles`.",
      severity: "error",
      from: { path: "^app/services/files/[^/]+/", pathNot: inFiles(floorsOfFiles.flat()) },
      to: {},
    },
    {
      name: "domains-are-apart",
      comment: "All of them may use email/, and no other of this line.",
      severity: "error",
      from: { path: "^app/(services|email|campaigns|databases|webhooks)/", pathNot: test },
      to: { path: "^app/(services|campaigns|databases|webhooks)/", pathNot: "^app/$1/" },
    },
    {
      name: "catalogue-knows-the-store-alone",
      comment: "Events and services tell it what they change, and it knows neither of them.",
      severity: "error",
      from: { path: "^app/catalogue/", pathNot: test },
      to: { path: "^app/(embed|events)/" },
    },
    {
      name: "used-by-all",
      comment: "Every layer uses them, and they use no layer.",
      severity: "error",
      from: { path: "^app/(shared|telemetry|locales)/", pathNot: `^app/locales/.*${test}` },
      to: { path: "^app/", pathNot: "^app/(shared|telemetry|locales)/" },
    },
    {
      name: "env-is-the-bottom",
      comment: "The environment's files import nothing else of the app.",
      severity: "error",
      from: { path: inFolders(["env"]) },
      to: { path: "^app/", pathNot: "^app/env/" },
    },
    {
      name: "http-knows-services-by-their-registry",
      severity: "error",
      from: { path: "^app/http/", pathNot: test },
      to: { path: "^app/services/", pathNot: "^app/services/registry\\.server\\.ts$" },
    },
    {
      name: "pages-are-routes",
      comment: "Only Remix's compiler imports them, and tests that do its work.",
      severity: "error",
      from: { path: "^(app|local)/" },
      to: { path: page },
    },
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "packages-are-declared",
      comment: "Each workspace's package.json lists what its files import; the root's lists the rest.",
      severity: "error",
      // These are run by the root's own Playwright.
      from: { pathNot: "^lab/bundlers/" },
      // It takes `peerDependenciesMeta` for a place where a package is not declared.
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm", "npm-dev"] },
    },
    {
      name: "app-knows-nothing-of-lab-local-or-tests",
      severity: "error",
      from: { path: "^app/", pathNot: test },
      to: { path: "^(lab|local|tests)/" },
    },
    {
      name: "sdks-only-in-providers",
      severity: "error",
      from: { path: "^app/", pathNot: ["^app/providers/", test] },
      to: {
        path: "node_modules/(@aws-sdk|@prisma|pg)/|^prisma/generated",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "sql-is-in-one-file-for-each-feature",
      severity: "error",
      from: { path: "^app/", pathNot: ["^app/providers/", "\\.sql\\.server\\.ts$", test] },
      to: { path: "^app/providers/sql\\.server\\.ts$" },
    },
    {
      name: "element-stands-alone",
      comment:
        "embed-element is a package of its own. Its build takes the sentences from the app's languages.",
      severity: "error",
      from: { path: "^embed-element/", pathNot: ["^embed-element/languages\\.ts$", test] },
      to: { path: "^(app|lab|local|prisma|tests)/" },
    },
    {
      name: "the-app-shares-the-engine-and-four-files-with-the-element",
      comment:
        "The engine, client/; shared/, which engine and server both use; protocol.ts, which the frame and the tag speak; and doctor/report.ts, doctor/is-near.ts and doctor/for-terminal.ts, on which both doctors are built. The package cannot import the app, so they are in the package.",
      severity: "error",
      from: { path: "^app/" },
      to: {
        path: "^embed-element/",
        pathNot:
          "^embed-element/(client/(index|downloads/zip/archive-bytes)|shared/[^/]+|protocol|doctor/(report|is-near|for-terminal))\\.ts$",
      },
    },
    {
      name: "the-engine-is-imported-by-its-package-name",
      comment: "As integrators import it: platform-embed-element/client.",
      severity: "error",
      from: { path: "^(app|lab|local|tests)/", pathNot: test },
      to: { path: "^embed-element/client/", dependencyTypesNot: ["aliased-tsconfig-paths"] },
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
