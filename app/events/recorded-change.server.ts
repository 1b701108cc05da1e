import { AppError, type AppErrorCode } from "../shared/app-error";
import type { EventData, FileEvent, FileEventType } from "./event";
import type { Events } from "./events.server";

/** After these errors the store may have made the change all the same. */
const unknownOutcomes: readonly AppErrorCode[] = ["unavailable", "provider_failed"];

/** Whether the store has certainly not made the change. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && !unknownOutcomes.includes(error.code);
}

/**
 * One change of an object, and its event: `recordPending` before the store is asked, `noteMade` after it has done it, `end` when no more will be done.
 * A change that is pending and not ended is resolved by `npm run cleanup`, which asks the store.
 */
export class RecordedChange {
  #pending: { id: string; identity: string } | undefined;
  #made: FileEventType | undefined;
  #data: EventData;

  /** @param event of a complete success */
  constructor(
    private readonly events: Events,
    private readonly event: FileEvent,
  ) {
    this.#data = event.data;
  }

  get isMade(): boolean {
    return this.#made !== undefined;
  }

  /**
   * To be called right before the store is asked. If the source is another one than at the last call, the change is begun anew.
   * @param data with what identifies the object that is changed, such as its ETag
   * @throws AppError `unavailable`: then the store must not be asked
   */
  async recordPending(data: EventData = {}): Promise<void> {
    this.#data = { ...this.#data, ...data };
    const { from, etag, version } = this.#data;
    const identity = JSON.stringify([from, etag, version]);
    if (identity === this.#pending?.identity) return;
    const id = await this.events.recordPending({ ...this.event, data: this.#data }, identity);
    if (this.#pending !== undefined) await this.events.drop(this.#pending.id);
    this.#pending = { id, identity };
  }

  /** The store has made the change. @param type what has happened so far: a move may only have copied */
  noteMade(data: EventData = {}, type: FileEventType = this.event.type): void {
    this.#data = { ...this.#data, ...data };
    this.#made = type;
  }

  /** Records the change if it was made; otherwise removes the pending row, if there is one. */
  async end(): Promise<void> {
    if (this.#pending === undefined) return;
    const { id } = this.#pending;
    const type = this.#made;
    if (type === undefined) await this.events.drop(id);
    else await this.events.record({ ...this.event, id, type, data: this.#data });
  }

  /**
   * Makes a change that is one request to the store.
   * @param data passed to `recordPending`
   * @param dataOf what the result tells about it
   * @throws the error of `work`
   */
  async run<Result>(
    data: EventData,
    work: () => Promise<Result>,
    dataOf: (result: Result) => EventData = () => ({}),
  ): Promise<Result> {
    await this.recordPending(data);
    try {
      const result = await work();
      this.noteMade(dataOf(result));
      await this.end();
      return result;
    } catch (error) {
      if (isRefusal(error)) await this.end();
      throw error;
    }
  }
}
