const CHANNEL = "platform-embed-uploads";
/** How long other tabs have to answer, milliseconds. */
const PATIENCE = 200;

/** What tabs say to each other. */
type Said =
  | { type: "who-sends"; tab: string; claiming: string | null }
  | { type: "sending"; to: string; ids: readonly string[] };

/**
 * Which unfinished uploads some tab of this browser is sending now. Tabs ask each other, because Firefox refuses locks to a frame of another
 * site. A tab that is gone or frozen does not answer, and is not sending either. Should two tabs ever miss each other's answer, both send the same
 * parts of the same file, which does no harm.
 */
export class SendingTabs {
  readonly #tab = crypto.randomUUID();
  readonly #sending = new Set<string>();
  readonly #claiming = new Set<string>();
  readonly #heard = new Set<(ids: readonly string[]) => void>();

  constructor(private readonly channel = new BroadcastChannel(CHANNEL)) {
    channel.onmessage = ({ data }: MessageEvent<Said>) => {
      if (data.type === "sending") {
        if (data.to !== this.#tab) return;
        for (const hear of this.#heard) hear(data.ids);
        return;
      }
      const ids = [...this.#sending];
      // Of two that claim the same upload at once, one gets it.
      if (data.claiming !== null && this.#claiming.has(data.claiming) && this.#tab < data.tab)
        ids.push(data.claiming);
      if (ids.length > 0) this.#say({ type: "sending", to: data.tab, ids });
    };
  }

  /** What other tabs are sending. */
  others(): Promise<Set<string>> {
    return this.#ask(null);
  }

  /** @returns what gives the upload up again, or null when another tab sends it */
  async claim(id: string): Promise<(() => void) | null> {
    this.#claiming.add(id);
    const taken = (await this.#ask(id)).has(id);
    this.#claiming.delete(id);
    if (taken) return null;
    this.#sending.add(id);
    return () => this.#sending.delete(id);
  }

  #say(said: Said): void {
    this.channel.postMessage(said);
  }

  async #ask(claiming: string | null): Promise<Set<string>> {
    const sent = new Set<string>();
    const hear = (ids: readonly string[]) => {
      for (const id of ids) sent.add(id);
    };
    this.#heard.add(hear);
    this.#say({ type: "who-sends", tab: this.#tab, claiming });
    await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    this.#heard.delete(hear);
    return sent;
  }
}
