/** What a drill found, a row of the table. */
export interface DrillResult {
  drill: string;
  figures: string;
  /** what went beyond its limit; empty when nothing did */
  failures: string[];
}
