import type { CampaignStatus, FileStatus } from "../campaigns/campaign-status.server";

/** Why there may be no record of what was sent. */
export const WITHOUT_RECORD =
  "npm run cleanup deletes records older than EMAIL_DELIVERIES_KEEP_DAYS, and POSTGRES_URL may name another database";

/** What is known of a campaign's deliveries. @param waitingLines the first lines, in a file, of those that wait */
export function linesOf(
  { sent, sending, waiting, suppressed, lastSentAt }: CampaignStatus,
  waitingLines: number[] = [],
): string[] {
  return [
    `${sent} sent${lastSentAt ? `, the last on ${lastSentAt}` : ""}.`,
    ...(sending > 0 ? [`${sending} being sent.`] : []),
    ...(suppressed > 0
      ? [`${suppressed} not sent: their recipients get no such e-mail (npm run suppressions -- list).`]
      : []),
    ...(waiting > 0
      ? [
          `${waiting} begun, and waiting for the queue to deliver them again, or the queue has given them up${named(waitingLines, waiting)}.`,
        ]
      : []),
  ];
}

/** What is open of a file, and what to do about it. */
export function openOf(
  { jobs, unknown, unknownLines, sending, waiting }: FileStatus,
  file: string,
): string[] {
  if (unknown + sending + waiting === 0) return ["Nothing is left to send."];
  const publish = `npm run campaign -- publish ${quote(file)}`;
  // Records are what keeps a job from being sent twice.
  if (unknown === jobs)
    return [
      `${unknown} without a record, and none with one: the queue has not delivered them yet, or has given them up. Or they were sent: ${WITHOUT_RECORD}.`,
      `Before you publish, check the campaign's id, the database, and when it was published: without records everybody is sent it again. Where nobody got it, and the queue has no more of them: ${publish}`,
    ];
  const open: string[] = [];
  if (unknown > 0)
    open.push(
      `${unknown} without a record: the queue has not delivered them yet, or has given them up${named(unknownLines, unknown)}. Or they were sent: ${WITHOUT_RECORD}.`,
    );
  if (unknown + waiting > 0)
    open.push(
      `Where the queue has no more of them: ${publish}. What was sent is not sent twice while its record is kept (EMAIL_DELIVERIES_KEEP_DAYS).${waiting > 0 ? " What was begun may have been sent, without a record of it." : ""}`,
    );
  return open;
}

/** @param total of which `lines` are the first */
function named(lines: readonly number[], total: number): string {
  if (lines.length === 0) return "";
  return ` (${total === 1 ? "line" : "lines"} ${lines.join(", ")}${total > lines.length ? ", …" : ""})`;
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
