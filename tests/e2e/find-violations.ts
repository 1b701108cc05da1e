import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import axe from "axe-core";

interface Options {
  /** CSS selector of what is looked at; the whole page, with its frames, unless it is given */
  include?: string;
  /** only these rules, by their ids */
  rules?: string[];
}

/** Nothing more where it is already. */
const axeSource = `if (!window.axe) { ${axe.source} }`;

/**
 * What stands in the way of assistive technology on a page and in its frames. The builder by itself gives a frame one second to take axe's half a
 * megabyte, and leaves a frame that needs longer out without a word: here each frame has taken it before.
 */
export async function findViolations(page: Page, { include, rules }: Options = {}) {
  for (const frame of page.frames()) await frame.evaluate(axeSource);
  let builder = new AxeBuilder({ page, axeSource });
  if (include) builder = builder.include(include);
  if (rules) builder = builder.withRules(rules);
  return (await builder.analyze()).violations;
}
