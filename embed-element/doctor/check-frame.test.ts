import { expect, it } from "vitest";
import { checkFrame } from "./check-frame";
import type { Page } from "./check-page";
import { readPage } from "./read-page";

it("a frame of two megabytes that is made to take long is looked at like any other", () => {
  const url = new URL("https://portal.example/");
  const page: Page = { url, tags: readPage(""), policies: [], embedderPolicy: "" };
  const text = "<section ".repeat(200_000);
  const verdicts = checkFrame({ url, status: 200, headers: {}, text }, page);
  expect(verdicts.map(({ check, status }) => [check, status])).toEqual([["frame.framing", "ok"]]);
  const problem = checkFrame(
    { url, status: 200, headers: {}, text: `${text}<section class="a" data-problem="store_busy">` },
    page,
  );
  expect(problem.at(-1)).toMatchObject({ check: "frame.content", status: "error" });
});
