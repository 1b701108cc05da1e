import type { CampaignRendering } from "../../campaigns/campaign-email.server";
import type { MarkdownTask } from "../../email/markdown.server";
import { createMarkdownPool } from "../../email/markdown-pool.server";
import { type EnvVariables, parseOnly } from "../../env/env.server";
import { AppError } from "../../shared/app-error";

/** Time limit for one text: the wait for a thread, and its rendering, which has a shorter limit of its own. Milliseconds. */
const RENDER_TIMEOUT_MS = 60_000;

/** Renders e-mails as the job endpoint does, if it has the same settings. Texts of their own need `npm run build` in a checkout. */
export function createRendering(variables: EnvVariables): CampaignRendering & { close(): Promise<void> } {
  const { UNSUBSCRIBE_URL: template, UNSUBSCRIBE_SECRET: secret } = parseOnly(
    variables,
    "UNSUBSCRIBE_URL",
    "UNSUBSCRIBE_SECRET",
  );
  // The app adds a link to its own unsubscribe page to e-mails, which counts towards their size.
  const hosted =
    secret === undefined
      ? undefined
      : {
          baseUrl: parseOnly(variables, "PLATFORM_BASE_URL").PLATFORM_BASE_URL,
          secrets: [secret] as const,
        };
  const pool = createMarkdownPool();
  // Finding out that a text is too costly takes a second, and all lines of a file may have it.
  const refused = new Map<string, AppError>();
  const renderMarkdown = async (task: MarkdownTask) => {
    const earlier = refused.get(task.markdown);
    if (earlier !== undefined) throw earlier;
    try {
      return await pool.render(task, { deadline: performance.now() + RENDER_TIMEOUT_MS });
    } catch (error) {
      if (error instanceof AppError && error.code === "invalid_request") refused.set(task.markdown, error);
      throw error;
    }
  };
  return { unsubscribing: { template, hosted }, renderMarkdown, close: pool.close };
}
