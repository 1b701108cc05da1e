/** How fast deliveries may begin. */
export interface FlowLimits {
  /** at a time */
  parallelism: number;
  /** in a period */
  rate: number;
  /** milliseconds */
  period: number;
}

/**
 * `rate=14,period=1s,parallelism=5`, in any order; what is not said is not limited.
 * QStash, "Flow Control". Where a message says something else than the one before, the last word counts for all that wait.
 * @returns null for what QStash refuses
 */
export function parseFlowLimits(text: string): FlowLimits | null {
  const limits: FlowLimits = {
    parallelism: Number.POSITIVE_INFINITY,
    rate: Number.POSITIVE_INFINITY,
    period: 1_000,
  };
  const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  for (const part of text.split(",")) {
    const [, name, digits, unit = ""] =
      /^\s*(rate|period|parallelism)\s*=\s*(\d+)([smhd]?)\s*$/.exec(part) ?? [];
    const number = Number(digits);
    if (!(number > 0) || (unit !== "" && name !== "period")) return null;
    if (name === "period") limits.period = number * units[(unit || "s") as keyof typeof units];
    else if (name === "rate" || name === "parallelism") limits[name] = number;
  }
  return limits;
}

/** Begins what waits in its turn, no faster than its limits; a further attempt counts like a first one. */
export class Flow {
  readonly #waiting: (() => Promise<void>)[] = [];
  /** when those of the last period were begun, the oldest first */
  #begun: number[] = [];
  #running = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(public limits: FlowLimits) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  add(work: () => Promise<void>): void {
    this.#waiting.push(work);
    this.#next();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  #next(): void {
    const { parallelism, rate, period } = this.limits;
    clearTimeout(this.#timer);
    while (this.#waiting.length > 0 && this.#running < parallelism) {
      const now = performance.now();
      this.#begun = this.#begun.filter((at) => at > now - period);
      const [oldest] = this.#begun;
      if (oldest !== undefined && this.#begun.length >= rate) {
        this.#timer = setTimeout(() => this.#next(), Math.ceil(oldest + period - now)).unref();
        return;
      }
      this.#begun.push(now);
      this.#running++;
      this.#waiting
        .shift()?.()
        .finally(() => {
          this.#running--;
          this.#next();
        })
        .catch(() => {});
    }
  }
}
