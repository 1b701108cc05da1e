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
