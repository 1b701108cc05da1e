import { enableBackForwardCache, leaveAndComeBack } from "../back-forward-cache";
import { expect, test } from "../element-support";

enableBackForwardCache(test);

test("a pending renewal continues when the page is restored from the back/forward cache", async ({
  site,
  page,
}) => {
  await site.openTag();
  await site.waitForEvent("ready");
  site.respond = (response) => site.json(response, 503, {});
  await site.frameSays({ type: "platform.embed.token-expired", service: "files" });
  // The renewal is tried again after a second, so more than one may have failed before we look.
  await expect.poll(() => site.events()).toContain("error");
  await leaveAndComeBack(page, `${site.origin}/elsewhere`, () => {
    site.respond = site.grant;
  });
  await site.waitForEvent("token-refreshed");
  expect(site.platform.requests).toHaveLength(1);
});
