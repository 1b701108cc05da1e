/** The result of `work`, or the error of `late` after `limitMs` milliseconds. `work` itself continues and must end by its own limit. */
export function withinLimit<Result>(
  limitMs: number,
  work: Promise<Result>,
  late: () => Error,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
