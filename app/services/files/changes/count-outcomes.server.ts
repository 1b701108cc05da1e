import { AppError } from "../../../shared/app-error";
import { logWarning } from "../../../shared/log.server";
import type { RequestContext } from "../../../shared/request-context.server";
import { type FailureCode, objectFailures } from "../place/contract/changes-contract.server";

/**
 * Counts what happened to the objects of one request.
 * @typeParam Other failures of this change alone
 */
export class Outcomes<Other extends string = never> {
  done = 0;
  readonly failed: { key: string; code: FailureCode | Other }[] = [];
  #isLogged = false;

  constructor(private readonly context: RequestContext) {}

  /** Counts the result of `work`. An error that concerns only this object is counted as well; others are thrown. */
  async count(key: string, work: Promise<"done" | "uncounted" | FailureCode | Other>): Promise<void> {
    const outcome = await work.catch((error: unknown) => this.#codeOf(error));
    if (outcome === "done") this.done += 1;
    else if (outcome !== "uncounted") this.failed.push({ key, code: outcome });
  }

  #codeOf(error: unknown): FailureCode {
    const code = error instanceof AppError ? objectFailures.find((name) => name === error.code) : undefined;
    if (!(error instanceof AppError) || code === undefined) throw error;
    if (code === "provider_failed" && !this.#isLogged) {
      this.#isLogged = true;
      logWarning(`An object could not be changed. ${error.logDetail ?? error.message}`, this.context);
    }
    return code;
  }
}
