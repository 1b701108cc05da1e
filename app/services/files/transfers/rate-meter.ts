/** What is looked back on, milliseconds. */
const WINDOW = 10_000;
/** What came within so many milliseconds counts as one sample. */
const SAMPLE = 500;

/** How fast bytes go by, over the last ten seconds. */
export class RateMeter {
  #samples: { at: number; bytes: number }[] = [];
  #since: number | null = null;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param bytes less than 0 for what has to be sent again */
  add(bytes: number): void {
    const at = this.now();
    this.#since ??= at;
    const last = this.#samples.at(-1);
    if (last !== undefined && at - last.at < SAMPLE) last.bytes += bytes;
    else this.#samples.push({ at, bytes });
    this.#drop(at);
  }

  /** Begins anew: there was nothing to send for a while. */
  restart(): void {
    this.#samples = [];
    this.#since = null;
  }

  /** bytes per second; null while too little is known */
  get perSecond(): number | null {
    const at = this.now();
    this.#drop(at);
    const duration = Math.min(at - (this.#since ?? at), WINDOW);
    if (duration < 1_000) return null;
    const bytes = this.#samples.reduce((sum, sample) => sum + sample.bytes, 0);
    return (Math.max(bytes, 0) / duration) * 1000;
  }

  #drop(at: number): void {
    while (this.#samples[0] !== undefined && at - this.#samples[0].at > WINDOW) this.#samples.shift();
  }
}
