import { nameAndMessageOf } from "../error-text";
import { redact } from "../log.server";

/** One line of the report. */
export interface Finding {
  /** which check, for programs: `store.cors` */
  check: string;
  /** `warning` is what a person should look at; only `error` makes the command fail */
  status: "ok" | "warning" | "error";
  message: string;
  /** how to mend it, naming the variable, command or setting */
  remedy?: string;
}

/** What a check found. It goes under the name of the check that was run, unless it has one of its own. */
export type Verdict = Omit<Finding, "check"> & { check?: string };

export const ok = (message: string): Verdict => ({ status: "ok", message });
export const warning = (message: string, remedy: string): Verdict => ({ status: "warning", message, remedy });
export const wrong = (message: string, remedy: string): Verdict => ({ status: "error", message, remedy });

/** The lines of `check` in the report. */
export const found = (check: string, verdicts: Verdict | Verdict[]): Finding[] =>
  [verdicts].flat().map((verdict) => ({ check, ...verdict }));

/** Whether whoever runs the command has stopped it, and how long one check may take. */
export interface Limits {
  stop: AbortSignal;
  /** milliseconds */
  checkMs: number;
}

/**
 * Runs one check. It always ends in time, and whatever it throws becomes a finding: no check ends the others.
 * @param onFailure what a failure of this check means, if it can tell
 * @param work gets a signal that aborts when its time is over
 */
export async function attempt(
  check: string,
  limits: Limits,
  work: (signal: AbortSignal) => Promise<Verdict | Verdict[]>,
  onFailure?: (error: unknown) => Verdict,
): Promise<Finding[]> {
  const limit = new AbortController();
  const abort = () => limit.abort();
  const timer = setTimeout(abort, limits.checkMs);
  limits.stop.addEventListener("abort", abort);
  try {
    limits.stop.throwIfAborted();
    return found(check, await Promise.race([work(limit.signal), rejectOnAbort(limit.signal)]));
  } catch (error) {
    if (limits.stop.aborted)
      return found(check, warning("Stopped before it had ended.", "Run the command again."));
    // What was aborted by us did not respond in time, whatever it throws for that.
    const cause = limit.signal.aborted ? new DOMException("No response in time", "TimeoutError") : error;
    return found(check, onFailure?.(cause) ?? crashed(cause, limits.checkMs));
  } finally {
    clearTimeout(timer);
    limits.stop.removeEventListener("abort", abort);
  }
}

function crashed(error: unknown, checkMs: number): Verdict {
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return wrong(`No response within ${checkMs / 1000} s.`, "Check the address and the network to it.");
  }
  return wrong(
    `This check failed by itself: ${redact(nameAndMessageOf(error).slice(0, 300))}`,
    "Report this as a defect; the other lines stand.",
  );
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
