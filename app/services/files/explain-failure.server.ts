import { AppError } from "../../app-error";

/**
 * On a developer's machine whoever looks at the screen runs the server too: there the sentence that is meant for the log
 * takes the place of the one for callers.
 */
export async function explainFailure<Result>(work: Promise<Result>, production: boolean): Promise<Result> {
  if (production) return work;
  return work.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.logDetail === undefined) throw error;
    const { code, logDetail, issues, retryAfterSeconds, headers } = error;
    throw new AppError(code, logDetail, { logDetail, issues, retryAfterSeconds, headers, cause: error });
  });
}
