import { ok, type Verdict, warning, wrong } from "./finding";

/** Below it nothing goes wrong; presigned URLs and tokens live for minutes. */
const NOTABLE_MS = 60_000;
/** So long a presigned URL lives: a clock that is as far behind hands out URLs that have expired. */
const HARMFUL_MS = 5 * 60_000;

/** @param aheadMs how far the other clock is ahead of this machine's, milliseconds */
export function judgeClock(whose: string, aheadMs: number): Verdict {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const off = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
  const message = `This machine's clock and ${whose} differ by ${off}; here it is ${aheadMs > 0 ? "earlier" : "later"}.`;
  const remedy = `Synchronise this machine's clock (NTP: timedatectl set-ntp true), or ${whose} if that is the wrong one.`;
  if (Math.abs(aheadMs) >= HARMFUL_MS) return wrong(message, remedy);
  if (Math.abs(aheadMs) >= NOTABLE_MS) return warning(message, remedy);
  return ok(`This machine's clock and ${whose} agree.`);
}
