/** Files that are made to keep a browser busy, in each engine beside Chromium: the frame responds, and their previews can be closed. */
import { expect, inject, it } from "vitest";
import { listening, pageWith, startIntegrator } from "../e2e/integrator";
import {
  type HostileFile,
  hostileCode,
  hostileDocuments,
  hostileDrawings,
  hostilePictures,
  hostileTexts,
} from "../support/files/hostile-files";
import { eventually } from "./engine";
import { row } from "./explorer-in";
import { describeInEngines } from "./in-engines";

const stack = inject("stack");

/** How long the frame may not respond. Without bounds, these files take from ten seconds to for ever. */
const MAX_SILENCE_MS = 5_000;

describeInEngines("$name", (shared) => {
  /** Lists the files, and asks the frame for a turn all the time from then on. */
  const openFolder = async (files: readonly HostileFile[]) => {
    shared.integrator = await startIntegrator(stack);
    shared.integrator.pages.set("/", pageWith(stack, listening));
    for (const { name, content } of files)
      await shared.integrator.bucket.put(name, content, "application/octet-stream");
    await shared.explorer.open(shared.integrator.origin);
    await shared.engine.run(
      "frame",
      `window.longest = 0;
      let last = performance.now();
      const look = () => {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - last);
        last = now;
        setTimeout(look, 20);
      };
      look();
      return null`,
    );
  };
  const longest = () => shared.engine.run<number>("frame", "return window.longest");

  it("lists a folder of hostile drawings", async () => {
    const plain = `<svg xmlns="http://www.w3.org/2000/svg" width="-5" height="NaN"><rect width="9" height="9"/></svg>`;
    await openFolder([...hostileDrawings, { name: "plain.svg", content: plain, shows: "" }]);
    await eventually("the thumbnail of the harmless one", () =>
      shared.engine.run<boolean>(
        "frame",
        `return document.querySelector(arguments[0])?.naturalWidth === 320`,
        `${row("plain.svg")} img`,
      ),
    );
    for (const { name } of hostileDrawings)
      expect(
        await shared.engine.run("frame", `return document.querySelector(arguments[0])`, `${row(name)} img`),
      ).toBeNull();
    expect(await longest()).toBeLessThan(MAX_SILENCE_MS);
  });

  it.each([...hostileDrawings, ...hostileTexts, ...hostileCode, ...hostilePictures, ...hostileDocuments])(
    "shows what it can of $name",
    async (file) => {
      await openFolder([file]);
      await shared.explorer.clickWhenThere(`${row(file.name)} [data-name]`);
      await shared.explorer.dialogWith(file.shows);
      await shared.engine.press("Escape");
      await shared.explorer.withoutDialog();
      expect(await longest()).toBeLessThan(MAX_SILENCE_MS);
    },
  );
});
