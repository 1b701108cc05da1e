import { postWithToken, type RequestOptions, realWorld } from "platform-embed-element/client";
import type { TokenSession } from "../../embed/frame/token-session";
import type { Visitor } from "../../embed/visitor";
import type { VisibleEvents } from "../../events/visible-events.server";
import type { ActivityOperations } from "./activity-contract.server";

/** A file of many events comes in a long stream. */
const EXPORT_TIMEOUT_MS = 30 * 60_000;

/** Calls the endpoints of `activity` (docs/contract.md#activity). Methods reject with a FilesError or the signal's reason. */
export class ActivityClient {
  constructor(readonly session: TokenSession) {}

  async list(body: ActivityOperations["list"], signal: AbortSignal): Promise<VisibleEvents> {
    return this.#post("list", body, (response) => response.json(), { signal });
  }

  async people(signal: AbortSignal): Promise<Visitor[]> {
    const { people } = await this.#post("people", {}, (response) => response.json(), { signal });
    return people;
  }

  /** A CSV file, as the browser receives it. */
  async export(body: ActivityOperations["export"], signal: AbortSignal): Promise<Blob> {
    const options = { signal, timeoutMs: EXPORT_TIMEOUT_MS };
    return this.#post("export", body, (response) => response.blob(), options);
  }

  async #post<Result>(
    endpoint: keyof ActivityOperations,
    body: object,
    read: (response: Response) => Promise<Result>,
    options: RequestOptions,
  ): Promise<Result> {
    const platform = { world: realWorld, tokens: this.session };
    return postWithToken(platform, `/api/embed/activity/${endpoint}`, body, read, options);
  }
}
