/** Calls `callback` after `ms` milliseconds, unless `signal` is aborted before. */
export function after(ms: number, signal: AbortSignal, callback: () => void): void {
  if (signal.aborted) return;
  const timer = setTimeout(callback, ms);
  signal.addEventListener("abort", () => clearTimeout(timer));
}

/** Calls `callback` when a retry may succeed: the network is back, or the page is visible or restored from the back/forward cache. */
export function onWake(signal: AbortSignal, callback: () => void): void {
  addEventListener("online", callback, { signal });
  addEventListener("pageshow", (event) => event.persisted && callback(), { signal });
  document.addEventListener("visibilitychange", () => document.hidden || callback(), { signal });
}

/** Resolves when `element` is within half a screen of the viewport; never, if `signal` is aborted before. */
export function untilNearViewport(element: Element, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        resolve();
      },
      { rootMargin: "50%" },
    );
    observer.observe(element);
    signal.addEventListener("abort", () => observer.disconnect());
  });
}
