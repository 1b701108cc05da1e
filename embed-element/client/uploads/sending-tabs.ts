import type { World } from "../world.js";
import type { RecordChannel } from "../world-storage.js";
import { newId } from "./new-id.js";

/** How long other tabs have to reply. */
const REPLY_TIMEOUT_MS = 200;

/** Messages between tabs. */
type Message =
  | { type: "who-sends"; tab: string; claiming: string | null }
  | { type: "sending"; to: string; ids: readonly string[] };

/**
 * Tells which unfinished uploads the tabs of this browser are sending. Tabs ask each other over a BroadcastChannel, because Firefox refuses
 * the Web Locks API to third-party frames. A closed or frozen tab does not reply and does not send. If two tabs miss each other's reply, both
 * send the same parts, which does no harm.
 */
export class SendingTabs {
  readonly #tab: string;
  readonly #sending = new Set<string>();
  readonly #claiming = new Set<string>();
  readonly #questions = new Set<(ids: readonly string[]) => void>();

  constructor(
    private readonly channel: RecordChannel,
    private readonly world: Pick<World, "random" | "timers">,
  ) {
    this.#tab = newId(world);
    channel.listen((message) => {
      const data = message as Message;
      if (data.type === "sending") {
        if (data.to !== this.#tab) return;
        for (const hear of this.#questions) hear(data.ids);
        return;
      }
      const ids = [...this.#sending];
      // Two tabs claim the same upload at once: the lower id wins.
      if (data.claiming !== null && this.#claiming.has(data.claiming) && this.#tab < data.tab)
        ids.push(data.claiming);
      if (ids.length > 0) this.#send({ type: "sending", to: data.tab, ids });
    });
  }

  /** Ids of the uploads that other tabs are sending. */
  others(): Promise<Set<string>> {
    return this.#ask(null);
  }

  /** @returns a function that releases the upload; null when another tab is sending it */
  async claim(id: string): Promise<(() => void) | null> {
    this.#claiming.add(id);
    const taken = (await this.#ask(id)).has(id);
    this.#claiming.delete(id);
    if (taken) return null;
    this.#sending.add(id);
    return () => this.#sending.delete(id);
  }

  close(): void {
    this.channel.close();
  }

  #send(message: Message): void {
    this.channel.post(message);
  }

  async #ask(claiming: string | null): Promise<Set<string>> {
    const received = new Set<string>();
    const hear = (ids: readonly string[]) => {
      for (const id of ids) received.add(id);
    };
    this.#questions.add(hear);
    this.#send({ type: "who-sends", tab: this.#tab, claiming });
    await new Promise<void>((resolve) => this.world.timers.start(resolve, REPLY_TIMEOUT_MS));
    this.#questions.delete(hear);
    return received;
  }
}
