/** The rate is averaged over this time. */
const WINDOW_MS = 10_000;
/** Bytes within this time are one sample. */
const SAMPLE_MS = 500;

/** Transfer rate over the last ten seconds. */
export class RateMeter {
  #samples: { at: number; bytes: number }[] = [];
  #since: number | null = null;

  /** @param now milliseconds of a monotonic clock */
  constructor(private readonly now: () => number) {}

  /** @param bytes negative for bytes that must be sent again */
  add(bytes: number): void {
    const at = this.now();
    this.#since ??= at;
    const last = this.#samples.at(-1);
    if (last !== undefined && at - last.at < SAMPLE_MS) last.bytes += bytes;
    else this.#samples.push({ at, bytes });
    this.#drop(at);
  }

  /** Forgets the past, after a time with nothing to send. */
  restart(): void {
    this.#samples = [];
    this.#since = null;
  }

  /** bytes per second; null while too little is known */
  get perSecond(): number | null {
    const at = this.now();
    this.#drop(at);
    const duration = Math.min(at - (this.#since ?? at), WINDOW_MS);
    if (duration < 1_000) return null;
    const bytes = this.#samples.reduce((sum, sample) => sum + sample.bytes, 0);
    return (Math.max(bytes, 0) / duration) * 1000;
  }

  #drop(at: number): void {
    while (this.#samples[0] !== undefined && at - this.#samples[0].at > WINDOW_MS) this.#samples.shift();
  }
}
