import de from "../../app/locales/de.json";
import type { Bundle, Entry } from "../support/integrator/element-package";
import { expect, type HostSite } from "./element-support";

/** Opens a page with the bundle of `entry` as its only script. Expects that the element is defined, works and shows German. */
export async function expectElement(
  site: HostSite,
  entry: Entry,
  { elements, scripts }: Bundle,
): Promise<void> {
  const { page } = site;
  site.pages.set("/platform-embed.js", "");
  for (const [path, text] of scripts) site.pages.set(path, text);
  const tag = `<platform-embed service="files" token-endpoint="/embed-url" locale="de"></platform-embed>`;
  site.respond = (response) => site.json(response, 401, {});
  await site.open(elements + (entry === "react" ? `<div id="root"></div>` : tag));
  const isRegistered = () => page.evaluate(() => customElements.get("platform-embed") !== undefined);
  if (entry === "protocol") {
    expect(await isRegistered()).toBe(false);
    const code = [...scripts.values()].join();
    expect(code, "the element, in a bundle of the protocol alone").not.toContain("attachShadow");
    return;
  }
  expect(await isRegistered()).toBe(true);
  await site.waitForEvent("session-expired");
  // Its words in other languages are a file of their own, but for the stand-alone file, which asks the platform that it comes from.
  if (entry === "tag") await expect(page.getByText(de.element.ended)).toBeVisible();
  site.respond = site.grant;
  await page.getByRole("status").getByRole("button").click();
  await site.waitForEvent("ready");
}
