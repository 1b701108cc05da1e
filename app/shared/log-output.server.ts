import type { Writable } from "node:stream";

/** How much may wait for a reader that has paused, bytes: a few thousand lines. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * One of the streams that the log is written to. Writing never throws and never waits, whether the disk is full, the reader is gone, or
 * the reader has paused: what cannot be written is counted, and the next line that can be written is preceded by one that says how many
 * are lost. Node writes to files at once, and keeps in memory what a pipe does not take.
 */
export class LogOutput {
  /** number of lines that were lost since the process started */
  totalLost = 0;
  /** those that no line has reported yet */
  #unreported = 0;

  /** @param describeLost the line that reports a number of lost lines */
  constructor(
    private readonly stream: Writable,
    private readonly describeLost: (lines: number) => string,
  ) {
    // Without a listener an error would end the process. It also reaches the callback of `write`.
    stream.on("error", () => {});
  }

  /** @param text one or more lines, without the last one's line break */
  write(text: string): void {
    const lines = text.split("\n").length;
    const unreported = this.#unreported;
    // After a loss everything has to be taken first, so that a slow reader gets long gaps, each with a report, and not many short ones.
    if (this.stream.writableLength > (unreported > 0 ? 0 : MAX_WAITING_BYTES)) {
      this.#lose(lines);
      return;
    }
    this.#unreported = 0;
    // A full disk may have taken the beginning of a line, hence the line break.
    const report = unreported > 0 ? `\n${this.describeLost(unreported)}\n` : "";
    this.stream.write(`${report}${text}\n`, (error) => {
      if (!error) return;
      this.#unreported += unreported;
      this.#lose(lines);
    });
  }

  #lose(lines: number): void {
    this.#unreported += lines;
    this.totalLost += lines;
  }
}
