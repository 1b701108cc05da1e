/**
 * Scrolls the element's nearest scroller, and nothing else. `scrollIntoView` would also scroll the page around the frame.
 * @param block where in the scroller the element will be
 */
export function scrollInside(element: Element | null | undefined, block: "start" | "center"): void {
  const scroller = element && scrollerOf(element);
  if (!scroller) return;
  const [inner, outer] = [element.getBoundingClientRect(), scroller.getBoundingClientRect()];
  const room = block === "center" ? (scroller.clientHeight - inner.height) / 2 : 0;
  scroller.scrollTop += inner.top - outer.top - scroller.clientTop - room;
}

function scrollerOf(element: Element): Element | null {
  let parent = element.parentElement;
  while (parent !== null && !/auto|scroll/.test(getComputedStyle(parent).overflowY))
    parent = parent.parentElement;
  return parent;
}
