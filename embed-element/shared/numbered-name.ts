/**
 * `report.pdf` into `report (1).pdf`, `report (1).pdf` into `report (2).pdf`; `.env` has no extension, and neither has a folder: `v1.2` into
 * `v1.2 (1)`.
 * @param times how many times to number the name
 */
export function numberedName(name: string, isFolder = false, times = 1): string {
  if (times === 0) return name;
  const { stem, extension, number } = takeNumber(name, isFolder);
  return `${stem} (${number + times})${extension}`;
}

/** `report (1).pdf` is `report`, `.pdf` and 1; without a number it is 0. Digits beyond the safe integer range are not treated as a number. */
export function takeNumber(name: string, isFolder = false) {
  const dot = isFolder ? -1 : name.lastIndexOf(".");
  const whole = dot > 0 ? name.slice(0, dot) : name;
  const extension = dot > 0 ? name.slice(dot) : "";
  const [, stem = whole, number = "0"] = /^(.*) \((\d{1,15})\)$/s.exec(whole) ?? [];
  return { stem, extension, number: Number(number) };
}

/** Gives numbers on from the last one: to search from 1 for each of thousands of equal names would take the square of their number. */
export class NumberedNames {
  /** by `pathOf` the name without its number */
  readonly #highest = new Map<string, number>();

  /**
   * The next numbered name that is not taken.
   * @param pathOf where a name would be; names that it makes equal share their numbers
   */
  next(name: string, isTaken: (name: string) => boolean, pathOf: (name: string) => string): string {
    const { stem, extension, number } = takeNumber(name);
    const path = pathOf(`${stem}/${extension}`);
    let next = Math.max(number, this.#highest.get(path) ?? 0);
    let numbered: string;
    do numbered = `${stem} (${++next})${extension}`;
    while (isTaken(numbered));
    this.#highest.set(path, next);
    return numbered;
  }
}
