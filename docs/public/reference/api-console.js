/**
 * Shows openapi.json with Scalar. `npm run docs` copies both files to this folder. Nothing here asks another host: Scalar's fonts,
 * telemetry, assistant and links to its own services are off.
 */
const description = await (await fetch("openapi.json")).json();

// A relative server is the proxy of `npm run docs -- --serve` to the local stack. Other sites cannot call the API from a browser.
const canTry = description.servers[0].url.startsWith("/");

globalThis.Scalar.createApiReference("#console", {
  content: description,
  hideTestRequestButton: !canTry,
  persistAuth: false,
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  featuredClients: ["shell/curl", "js/fetch", "python/requests"],
  documentDownloadType: "json",
  // The models follow from the operations, which show them where they are used.
  hideModels: true,
  operationTitleSource: "path",
  withDefaultFonts: false,
  customCss: ":root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; }",
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
});
