import type { Verdict } from "../drill";

/** What a drill finds if the program that it needs is not installed. */
export interface NotDone {
  notDone: string;
  /** in CI, where every program must be installed */
  isFailure: boolean;
}

/** A drill that was not done has not passed. */
export const judgeNotDone = ({ notDone, isFailure }: NotDone): Verdict => ({
  figures: `not done: ${notDone}`,
  failures: isFailure ? [notDone] : [],
  isSkipped: !isFailure,
});
