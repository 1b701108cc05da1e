/** The guide's page without the element in each engine beside Chromium. */
import { beforeEach, expect, inject, it } from "vitest";
import { startIntegrator } from "../e2e/integrator";
import { expiredUrl, guideIframe, respondWith } from "../support/integrator/guide-iframe";
import { eventually } from "./engine";
import { row } from "./explorer-in";
import { describeInEngines } from "./in-engines";

const stack = inject("stack");

describeInEngines("$name, with a plain iframe", (shared) => {
  beforeEach(async () => {
    shared.integrator = await startIntegrator(stack);
    shared.integrator.pages.set("/", guideIframe());
    await shared.integrator.bucket.put("Plans/Offer.txt", "an offer", "text/plain");
  });

  it("renews the token before it expires, and the explorer goes on", async () => {
    shared.integrator.asks = { expiresInSeconds: 5 };
    await shared.engine.open(shared.integrator.origin);
    await shared.explorer.listed("Plans");
    await shared.engine.run("frame", `window.sameDocument = true; return null`);
    await eventually("the third token", async () => shared.integrator.asked.length >= 3);
    await shared.explorer.clickWhenThere(`${row("Plans")} [data-name]`);
    await shared.explorer.listed("Offer.txt");
    expect(await shared.engine.run("frame", `return window.sameDocument`)).toBe(true);
  });

  it("shows the explorer although it was loaded with an expired token", async () => {
    respondWith(shared.integrator, await expiredUrl(shared.integrator, stack));
    await shared.engine.open(shared.integrator.origin);
    await shared.explorer.listed("Plans");
    expect(shared.integrator.asked).toHaveLength(2);
    await shared.explorer.clickWhenThere(`${row("Plans")} [data-name]`);
    await shared.explorer.listed("Offer.txt");
  });

  /** Opens a folder, goes to another page, calls `meanwhile`, and goes back. Whether the browser has kept the page is its own decision. */
  async function leaveAndComeBack(meanwhile: () => void): Promise<void> {
    shared.integrator.pages.set("/elsewhere", "<!doctype html><title>Elsewhere</title>");
    await shared.engine.open(shared.integrator.origin);
    await shared.explorer.clickWhenThere(`${row("Plans")} [data-name]`);
    await shared.explorer.listed("Offer.txt");
    const isElsewhere = (wanted: boolean) =>
      eventually("the page", () =>
        shared.engine.run<boolean>(
          "page",
          `return (document.title === "Elsewhere") === arguments[0]`,
          wanted,
        ),
      );
    await shared.engine.run("page", `location.href = "/elsewhere"; return null`);
    await isElsewhere(true);
    meanwhile();
    await shared.engine.run("page", `history.back(); return null`);
    await isElsewhere(false);
  }

  const LOSES = "Firefox's driver reaches no frame of a page that was restored.";
  const losesRestoredPages = () => shared.engine.name === "Firefox";

  it("shows no file to whoever goes back after signing out", async ({ skip }) => {
    skip(losesRestoredPages(), LOSES);
    const { integrator } = shared;
    await leaveAndComeBack(() => {
      integrator.respond = (response) => integrator.json(response, 401, {});
    });
    await eventually("the end of the session", () =>
      shared.engine.run<boolean>(
        "page",
        `return !document.querySelector("iframe") && document.body.textContent.includes("Your session has ended")`,
      ),
    );
  });

  it("shows the same folder to whoever goes back while signed in", async ({ skip }) => {
    skip(losesRestoredPages(), LOSES);
    await leaveAndComeBack(() => {});
    await shared.explorer.listed("Offer.txt");
    expect(shared.integrator.asked).toHaveLength(2);
  });
});
