/** Amplify Storage Browser in the root of one bucket, with a custom auth adapter, as in its documentation. */
import { createStorageBrowser } from "@aws-amplify/ui-react-storage/browser";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import "@aws-amplify/ui-react-storage/styles.css";

const { bucket, region, customEndpoint, credentials } = await (await fetch("/settings")).json();
const location = {
  bucket,
  id: bucket,
  permissions: ["get", "list", "write", "delete"],
  prefix: "",
  type: "BUCKET",
};
const { StorageBrowser } = createStorageBrowser({
  config: {
    region,
    customEndpoint,
    registerAuthListener: () => {},
    listLocations: async () => ({ items: [location], nextToken: undefined }),
    getLocationCredentials: async () => ({
      credentials: { ...credentials, expiration: new Date(Date.now() + 3_600_000) },
    }),
  },
});
const { permissions, prefix } = location;
const defaultValue = { location: { bucket, permissions, prefix, path: "" } };
createRoot(document.querySelector("main")).render(createElement(StorageBrowser, { defaultValue }));
