import type { CampaignStatus, FileStatus } from "../campaigns/campaign-status.server";

/** What is known of a campaign's deliveries. */
export function linesOf({ sent, sending, waiting, suppressed, lastSentAt }: CampaignStatus): string[] {
  return [
    `${sent} sent${lastSentAt ? `, the last on ${lastSentAt}` : ""}.`,
    ...(sending > 0 ? [`${sending} being sent.`] : []),
    ...(suppressed > 0
      ? [`${suppressed} not sent: their recipients get no such e-mail (npm run suppressions -- list).`]
      : []),
    ...(waiting > 0 ? [`${waiting} begun, and waiting for the queue to deliver them again.`] : []),
  ];
}

/** What is open of a file, and what to do about it. */
export function openOf({ unknown, unknownLines, sending, waiting }: FileStatus, file: string): string[] {
  if (unknown + sending + waiting === 0) return ["Nothing is left to send."];
  if (unknown === 0) return [];
  const more = unknown > unknownLines.length ? ", …" : "";
  return [
    `${unknown} without a record: the queue has not delivered them yet, or has given them up (${unknownLines.length === 1 ? "line" : "lines"} ${unknownLines.join(", ")}${more}).`,
    `Where the queue has no more of them: npm run campaign -- publish ${quote(file)}. What was sent is not sent twice.`,
  ];
}

export const inJobs = (count: number) => (count === 1 ? "1 job" : `${count} jobs`);

/** As a shell takes it for one word. */
export function quote(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** In words, rounded up. @param seconds */
export function duration(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.ceil(whole / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
