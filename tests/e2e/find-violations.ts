import type { Frame, Page } from "@playwright/test";
import axe, {
  type ContextObject,
  type FrameContext,
  type PartialResult,
  type RunOptions,
  type SerialContextObject,
} from "axe-core";

interface Options {
  /** CSS selector of the content to check; the default is the whole page with its frames */
  include?: string;
  /** only these rules, by their ids */
  rules?: string[];
}

/**
 * Elements whose text is more than their label. A tile is labelled by its file's name, and what is below the name is its description. VitePress's
 * search button also shows its key.
 */
const HAS_MORE_TEXT = /^<(div role="gridcell" class="tile|button type="button" class="DocSearch)[ "]/;

/**
 * Finds axe's accessibility violations in a page and its frames. It follows axe's documented way for frames of other origins: it
 * runs axe in each frame and combines the partial results. @axe-core/playwright does so too, but it opens another page to combine
 * them, sends axe's half megabyte five times per call, and silently skips frames that fail.
 */
export async function findViolations(page: Page, { include, rules }: Options = {}) {
  const context: ContextObject = include ? { include: [include] } : { exclude: [] };
  const options: RunOptions = rules ? { runOnly: { type: "rule", values: rules } } : {};
  // Passed as text, because Playwright is slow with large objects.
  const seen = JSON.stringify(await look(page.mainFrame(), context, options));
  const { violations } = await page.evaluate(
    ([seen, options]) => window.axe.finishRun(JSON.parse(seen), options),
    [seen, options] as const,
  );
  return violations.flatMap((violation) => {
    const nodes = violation.nodes.filter(
      ({ html }) => violation.id !== "label-content-name-mismatch" || !HAS_MORE_TEXT.test(html),
    );
    return nodes.length > 0 ? [{ ...violation, nodes }] : [];
  });
}

/** Returns the violations in the embed's frame, each as its rule and the elements. */
export async function violations(page: Page): Promise<string[]> {
  const violations = await findViolations(page, { include: "iframe" });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** Returns axe's partial results of a frame, followed by those of the frames inside: null for one in which no scripts run. */
async function look(frame: Frame, context: Context, options: RunOptions): Promise<(PartialResult | null)[]> {
  if (!(await frame.evaluate(() => "axe" in window))) await frame.evaluate(axe.source);
  await frame.evaluate(untilShown);
  const inside = await frame.evaluate<FrameContext[], object>(
    (context) => window.axe.utils.getFrameContexts(context as Context),
    context,
  );
  const seen = await frame.evaluate<PartialResult, { context: object; options: RunOptions }>(
    ({ context, options }) => window.axe.runPartial(context as Context, options),
    { context, options },
  );
  const all: (PartialResult | null)[] = [seen];
  for (const { frameSelector, frameContext } of inside) {
    const element = await frame.evaluateHandle((path) => window.axe.utils.shadowSelect(path), frameSelector);
    const child = await element.asElement()?.contentFrame();
    if (!child) throw new Error(`There is no frame at ${JSON.stringify(frameSelector)} any more.`);
    all.push(...((await runsScripts(child)) ? await look(child, frameContext, options) : [null]));
  }
  return all;
}

/** Whether scripts run in a frame. In a sandbox that forbids them, as that of the demo's e-mails, even an awaited promise never resolves. */
export async function runsScripts(frame: Frame): Promise<boolean> {
  if (!frame.parentFrame()) return true;
  const sandbox = await (await frame.frameElement()).getAttribute("sandbox");
  return sandbox === null || sandbox.split(" ").includes("allow-scripts");
}

/** Waits for what appears or disappears: colours on their way have no contrast yet. Animations without an end go on. */
async function untilShown(): Promise<void> {
  const ending = document
    .getAnimations()
    .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
  await Promise.allSettled(ending.map(({ finished }) => finished));
}

type Context = ContextObject | SerialContextObject;

declare global {
  interface Window {
    /** once it has been sent there */
    axe: typeof axe;
  }
}
