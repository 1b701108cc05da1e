import { useEffect, useRef, useState } from "react";
import type { StorageProblem } from "../../storage-problem";

/** Seconds to wait when the server names no time: doubled each time, up to half a minute. */
const FIRST_WAIT = 3;
const LONGEST_WAIT = 30;

/** Tries again when the browser is online again, if that was the problem. */
export function useBackOnline(problem: StorageProblem, retry: () => void): void {
  const latest = useRef(retry);
  latest.current = retry;
  const isOffline = problem.code === "offline";

  useEffect(() => {
    if (!isOffline) return;
    const tryNow = () => latest.current();
    window.addEventListener("online", tryNow);
    return () => window.removeEventListener("online", tryNow);
  }, [isOffline]);
}

/**
 * Tries again by itself after a temporary problem: when the browser comes online, or after Retry-After.
 * @returns the seconds left until then, or null
 */
export function useRecovery(problem: StorageProblem, retry: () => void): number | null {
  const [left, setLeft] = useState<number | null>(null);
  const attempts = useRef(0);
  const latest = useRef(retry);
  latest.current = retry;
  useBackOnline(problem, retry);

  useEffect(() => {
    setLeft(null);
    if (problem.code === "offline" || !problem.isTemporary) return;
    const backOff = Math.min(FIRST_WAIT * 2 ** attempts.current++, LONGEST_WAIT);
    const due = performance.now() + Math.max(problem.details.retryAfter ?? backOff, 1) * 1000;
    const tick = () => {
      const seconds = Math.ceil((due - performance.now()) / 1000);
      setLeft(Math.max(seconds, 0));
      if (seconds > 0) return;
      clearInterval(timer);
      latest.current();
    };
    const timer = setInterval(tick, 250);
    tick();
    return () => clearInterval(timer);
  }, [problem]);

  return left;
}
