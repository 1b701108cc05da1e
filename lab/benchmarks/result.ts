export interface BenchmarkOptions {
  /** objects in the catalogue that is measured */
  rows: number;
}

/** What a benchmark returns. One file prints it on the terminal, another writes it to a page. */
export interface BenchmarkResult {
  /** what was measured, with its conditions, such as the network's limits; one line */
  title: string;
  rows: Row[];
  /** every measured number by what it is of, with its unit in the name */
  raw: Record<string, number[]>;
  /** exact versions of the packages that it compares with */
  peers?: Record<string, string>;
  /** what a reader has to know to judge the comparison */
  notes?: string[];
}

export interface Row {
  name: string;
  /** with its unit; a median if there are several measurements */
  value: string;
  /** the least and the greatest measurement */
  spread?: string;
  /** a ratio to another row, or what else belongs to the figure */
  compared?: string;
}

/** The middle of the sorted values. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** @param format writes one value with its unit */
export function spread(values: readonly number[], format: (value: number) => string): string {
  return `${format(Math.min(...values))} to ${format(Math.max(...values))}`;
}

/** A row of the median and the spread of several measurements. */
export const medianRow = (
  name: string,
  values: readonly number[],
  format: (value: number) => string,
  compared?: string,
): Row => ({ name, value: format(median(values)), spread: spread(values, format), compared });

export const inMs = (milliseconds: number) => `${milliseconds.toFixed(1)} ms`;
export const inSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
export const inKilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
export const inMegabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
