/** How fast messages with the same flow-control key are delivered. */
export interface FlowLimits {
  /** maximum concurrent deliveries */
  parallelism: number;
  /** maximum deliveries per period */
  rate: number;
  periodMs: number;
}

/**
 * Parses `rate=14,period=1s,parallelism=5`, in any order; a missing rate or parallelism is unlimited. QStash, "Flow Control".
 * @returns null if QStash would refuse it
 */
export function parseFlowLimits(text: string): FlowLimits | null {
  const limits: FlowLimits = {
    parallelism: Number.POSITIVE_INFINITY,
    rate: Number.POSITIVE_INFINITY,
    periodMs: 1_000,
  };
  const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  for (const item of text.split(",")) {
    const [, name, digits, unit = ""] =
      /^\s*(rate|period|parallelism)\s*=\s*(\d+)([smhd]?)\s*$/.exec(item) ?? [];
    const number = Number(digits);
    if (!(number > 0) || (unit !== "" && name !== "period")) return null;
    if (name === "period") limits.periodMs = number * units[(unit || "s") as keyof typeof units];
    else if (name === "rate" || name === "parallelism") limits[name] = number;
  }
  return limits;
}

/** Runs tasks in order, within limits. Each retry of a message is another task. */
export class Flow {
  #waiting: { id: string; run: () => Promise<void> }[] = [];
  /** start times of the last period, the oldest first */
  #startTimes: number[] = [];
  #running = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(public limits: FlowLimits) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @param id of the message */
  add(id: string, run: () => Promise<void>): void {
    this.#waiting.push({ id, run });
    this.#startTasks();
  }

  /** Removes tasks that have not started. */
  remove(ids: ReadonlySet<string>): void {
    this.#waiting = this.#waiting.filter(({ id }) => !ids.has(id));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  #startTasks(): void {
    const { parallelism, rate, periodMs } = this.limits;
    clearTimeout(this.#timer);
    while (this.#waiting.length > 0 && this.#running < parallelism) {
      const now = performance.now();
      this.#startTimes = this.#startTimes.filter((at) => at > now - periodMs);
      const [oldest] = this.#startTimes;
      if (oldest !== undefined && this.#startTimes.length >= rate) {
        this.#timer = setTimeout(() => this.#startTasks(), Math.ceil(oldest + periodMs - now)).unref();
        return;
      }
      this.#startTimes.push(now);
      this.#running++;
      this.#waiting
        .shift()
        ?.run()
        .finally(() => {
          this.#running--;
          this.#startTasks();
        })
        .catch(() => {});
    }
  }
}
