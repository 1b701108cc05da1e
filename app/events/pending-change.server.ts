import { AppError, type AppErrorCode } from "../shared/app-error";
import type { EventData, FileEvent, FileEventType } from "./event";
import type { Events } from "./events.server";

/** After these errors, the store may still have made the change. */
const unknownOutcomes: readonly AppErrorCode[] = ["unavailable", "provider_failed"];

/** Whether the store is known not to have made the change. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && !unknownOutcomes.includes(error.code);
}

/**
 * One change of an object, and its event. Call `recordPending` before the store is asked, `noteMade` once the store has made the change, and `end`
 * when nothing more will be done. If `end` is never called, `npm run cleanup` asks the store what happened.
 */
export class PendingChange {
  #pending: { id: string; identity: string } | undefined;
  #made: FileEventType | undefined;
  #data: EventData;

  /** @param event the event that is recorded if everything succeeds */
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
   * Call this right before the store is asked. If the source has changed since the last call, it starts a new pending change.
   * @param data contains what identifies the object that is changed, such as its ETag
   * @throws AppError `unavailable`: the change must then not be made
   */
  async recordPending(data: EventData = {}): Promise<void> {
    this.#data = { ...this.#data, ...data };
    const { from, etag, version } = this.#data;
    const identity = JSON.stringify([from, etag, version]);
    if (identity === this.#pending?.identity) return;
    const id = await this.events.recordPending({ ...this.event, data: this.#data }, identity);
    if (this.#pending !== undefined) await this.events.discardPending(this.#pending.id);
    this.#pending = { id, identity };
  }

  /** Call this when the store has made the change. @param type what has happened so far: a move may have made only the copy */
  noteMade(data: EventData = {}, type: FileEventType = this.event.type): void {
    this.#data = { ...this.#data, ...data };
    this.#made = type;
  }

  /** Call this when what was made has been removed again, or when another request may have gone on with it. */
  noteUnmade(): void {
    this.#made = undefined;
  }

  /** Records the change if it was made. Otherwise removes the pending row, if there is one. */
  async end(): Promise<void> {
    if (this.#pending === undefined) return;
    const { id } = this.#pending;
    const type = this.#made;
    if (type === undefined) await this.events.discardPending(id);
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
