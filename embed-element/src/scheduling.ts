/** Runs `run` after `ms` milliseconds, unless `signal` is aborted before. */
export function after(ms: number, signal: AbortSignal, run: () => void): void {
  if (signal.aborted) return;
  const timer = setTimeout(run, ms);
  signal.addEventListener("abort", () => clearTimeout(timer));
}

/** Runs `run` whenever waiting may have become pointless: network back, page visible, page out of the back/forward cache. */
export function onWake(signal: AbortSignal, run: () => void): void {
  addEventListener("online", run, { signal });
  addEventListener("pageshow", (event) => event.persisted && run(), { signal });
  document.addEventListener("visibilitychange", () => document.hidden || run(), { signal });
}

/** Runs `run` now, or, when `lazy`, once `element` comes near the screen. */
export function whenNear(element: Element, lazy: boolean, signal: AbortSignal, run: () => void): void {
  if (!lazy) {
    run();
    return;
  }
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      run();
    },
    { rootMargin: "50%" },
  );
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
}
