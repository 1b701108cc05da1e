/** The result of a drill, one row of the table. */
export interface DrillResult {
  drill: string;
  figures: string;
  /** exceeded limits; empty if the drill passed */
  failures: string[];
}
