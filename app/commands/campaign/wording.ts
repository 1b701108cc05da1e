export const countJobs = (count: number) => (count === 1 ? "1 job" : `${count} jobs`);

const MAX_LISTED_NUMBERS = 10;

/** The first of many numbers of lines or rows. */
export function listNumbers(numbers: readonly number[], total = numbers.length): string {
  const shown = numbers.slice(0, MAX_LISTED_NUMBERS);
  return `${shown.join(", ")}${total > shown.length ? ", …" : ""}`;
}

/** Quotes an argument for a shell. */
export function quote(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A duration like `12 min`, rounded up. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.ceil(whole / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
