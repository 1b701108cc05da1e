/**
 * The first index from `from` on, below `to`, for which a condition holds; `to` if there is none. It must hold for all behind it, too: half of what is left
 * is left out each time.
 */
export function firstIndex(from: number, to: number, isFulfilled: (index: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isFulfilled(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
