/**
 * What two commands share: `npx platform-embed-element doctor`, for whoever embeds the platform, and the platform's own
 * `npm run doctor`, for whoever operates it. The platform's app imports this file, `is-near.ts` and `for-terminal.ts`, and no other of this folder.
 */
import { styleText } from "node:util";
import { forTerminal } from "./for-terminal";

/** One line of the report. */
export interface Finding {
  /** which check, for programs: `page.frame-src` */
  check: string;
  /** `warning` is what a person should look at; only `error` makes the command fail */
  status: "ok" | "warning" | "error";
  message: string;
  /** how to fix it, naming the header, variable, setting or command */
  remedy?: string;
}

/** A finding that goes under the name of the check that was run, unless it has a name of its own. */
export type Verdict = Omit<Finding, "check"> & { check?: string };

export const ok = (message: string): Verdict => ({ status: "ok", message });
export const warning = (message: string, remedy: string): Verdict => ({ status: "warning", message, remedy });
export const wrong = (message: string, remedy: string): Verdict => ({ status: "error", message, remedy });

/** @param check the name for those verdicts that have none of their own */
export const toFindings = (check: string, verdicts: Verdict | Verdict[]): Finding[] =>
  [verdicts].flat().map((verdict) => ({ check, ...verdict }));

export const hasError = (findings: readonly Verdict[]): boolean =>
  findings.some(({ status }) => status === "error");

export interface Check {
  /** for programs: `store.cors` */
  name: string;
  /** @param signal aborts when the check's time is over */
  run(signal: AbortSignal): Promise<Verdict | Verdict[]>;
  /** What it means that `run` threw: a `TimeoutError` when it took too long. Without it the report says that the check is defective. */
  explain?(error: unknown): Verdict;
}

export interface Limits {
  /** milliseconds that one check may take */
  checkMs: number;
  /** aborted when whoever runs the command has stopped it */
  stop?: AbortSignal;
  /** takes secrets out of a message that we did not write */
  redact?(text: string): string;
}

/** Runs one check. Never rejects, and always ends in time: whatever `run` throws becomes a finding. */
export async function runCheck({ name, run, explain }: Check, limits: Limits): Promise<Finding[]> {
  const { checkMs, stop, redact = (text) => text } = limits;
  const abort = new AbortController();
  const onStop = () => abort.abort();
  const timer = setTimeout(
    () => abort.abort(new DOMException("No response in time", "TimeoutError")),
    checkMs,
  );
  stop?.addEventListener("abort", onStop);
  try {
    stop?.throwIfAborted();
    return toFindings(name, await Promise.race([run(abort.signal), rejectOnAbort(abort.signal)]));
  } catch (thrown) {
    if (stop?.aborted)
      return toFindings(name, warning("Stopped before it had ended.", "Run the command again."));
    // Libraries throw errors of their own when they are aborted.
    const error = abort.signal.aborted ? abort.signal.reason : thrown;
    if (explain) return toFindings(name, explain(error));
    if (abort.signal.aborted)
      return toFindings(
        name,
        wrong(`No response within ${checkMs / 1000} s.`, "Check the address and the network to it."),
      );
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return toFindings(
      name,
      wrong(
        `The check itself crashed: ${redact(text.slice(0, 300))}`,
        "Report this as a defect; the other lines are valid.",
      ),
    );
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener("abort", onStop);
  }
}

/** Runs checks at the same time. Their findings are in the order of `checks`. */
export async function runChecks(checks: readonly Check[], limits: Limits): Promise<Finding[]> {
  return (await Promise.all(checks.map((check) => runCheck(check, limits)))).flat();
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

export interface ReportOptions {
  /** one JSON array at the end, in place of lines for people */
  json: boolean;
  /** what the colours depend on: a terminal, and `NO_COLOR` (https://no-color.org) */
  stdout: { isTTY?: boolean };
  env: Record<string, string | undefined>;
  print(text: string): void;
}

export interface Report {
  /** Prints findings as soon as they are known, below `heading` if there is one. */
  add(findings: readonly Finding[], heading?: string): void;
  /** Prints what comes last. Returns the exit code: 1 when anything is wrong. */
  end(): 0 | 1;
}

const MARKS = { ok: "✓", warning: "!", error: "✗" } as const;
const COLORS = { ok: "green", warning: "yellow", error: "red" } as const;

/** Findings quote what servers have answered, and no server may write lines of the report. */
const onOneLine = (text: string) => forTerminal(text.replace(/[\r\n]+/g, " "));

export function startReport({ json, stdout, env, print }: ReportOptions): Report {
  const hasColor = stdout.isTTY === true && !env.NO_COLOR;
  const all: Finding[] = [];
  const count = (status: Finding["status"]) => all.filter((finding) => finding.status === status).length;
  return {
    add(findings, heading) {
      all.push(...findings);
      if (json) return;
      const indent = heading === undefined ? "" : "  ";
      const lines = findings.map(({ status, message, remedy }) => {
        const mark = hasColor ? styleText(COLORS[status], MARKS[status]) : MARKS[status];
        const lines = [`${mark} ${onOneLine(message)}`];
        if (remedy !== undefined) lines.push(`    → ${onOneLine(remedy)}`);
        return lines.map((line) => indent + line).join("\n");
      });
      print([...(heading === undefined ? [] : [heading]), ...lines].join("\n"));
    },
    end() {
      print(
        json
          ? forTerminal(JSON.stringify(all, null, 2))
          : `\n${count("ok")} ok, ${count("error")} errors, ${count("warning")} warnings.`,
      );
      return hasError(all) ? 1 : 0;
    },
  };
}
