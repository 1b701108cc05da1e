/** Rows and tiles within this distance of the visible area count as visible. */
const NEAR_MARGIN = "120px";

/**
 * Calls `enter` when the element comes near the visible area, and what that returned when it leaves.
 * @param element inside of `.list`
 * @returns a function that stops watching
 */
export function whileNearby(element: HTMLElement | null, enter: () => () => void): () => void {
  if (!element) return () => {};
  let leave = () => {};
  const observer = new IntersectionObserver(
    ([entry]) => {
      leave();
      leave = entry?.isIntersecting ? enter() : () => {};
    },
    { root: element.closest(".list"), rootMargin: NEAR_MARGIN },
  );
  observer.observe(element);
  return () => {
    leave();
    observer.disconnect();
  };
}
