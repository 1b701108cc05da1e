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

export const ok = (check: string, message: string): Finding => ({ check, status: "ok", message });
export const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: "warning",
  message,
  remedy,
});
export const wrong = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: "error",
  message,
  remedy,
});

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
  work: (signal: AbortSignal) => Promise<Finding | Finding[]>,
  onFailure?: (error: unknown) => Finding,
): Promise<Finding[]> {
  const limit = new AbortController();
  const abort = () => limit.abort();
  const timer = setTimeout(abort, limits.checkMs);
  limits.stop.addEventListener("abort", abort);
  try {
    limits.stop.throwIfAborted();
    return [await Promise.race([work(limit.signal), rejectOnAbort(limit.signal)])].flat();
  } catch (error) {
    if (limits.stop.aborted)
      return [warning(check, "Stopped before it had ended.", "Run the command again.")];
    // What was aborted by us did not respond in time, whatever it throws for that.
    const cause = limit.signal.aborted ? new DOMException("No response in time", "TimeoutError") : error;
    return [onFailure?.(cause) ?? crashed(check, cause, limits.checkMs)];
  } finally {
    clearTimeout(timer);
    limits.stop.removeEventListener("abort", abort);
  }
}

function crashed(check: string, error: unknown, checkMs: number): Finding {
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return wrong(
      check,
      `No response within ${checkMs / 1000} s.`,
      "Check the address and the network to it.",
    );
  }
  return wrong(
    check,
    `This check failed by itself: ${redact(nameAndMessageOf(error).slice(0, 300))}`,
    "Report this as a defect; the other lines stand.",
  );
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
