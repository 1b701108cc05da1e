import type { Entry } from "../support/element-package";
import { expect, type HostSite } from "./element-support";

/** Opens a page with the bundle of `entry` as its only script, and looks whether the element is there and works. */
export async function expectElement(site: HostSite, entry: Entry, script: string): Promise<void> {
  await site.page.route("**/platform-embed.js", (route) =>
    route.fulfill({ contentType: "text/javascript", body: script }),
  );
  if (entry === "react") await site.open(`<div id="root"></div>`);
  else await site.openTag();
  const isRegistered = () => site.page.evaluate(() => customElements.get("platform-embed") !== undefined);
  if (entry === "protocol") {
    expect(await isRegistered()).toBe(false);
    expect(script, "the element, in a bundle of the protocol alone").not.toContain("attachShadow");
    return;
  }
  expect(await isRegistered()).toBe(true);
  await site.waitForEvent("ready");
}
