import type { TokenSession } from "../../embed/frame/token-session";
import type { Visitor } from "../../embed/visitor";
import type { VisibleEvents } from "../../events/visible-events.server";
import { postToService } from "../files/place/contract/storage-client";
import type { ActivityOperations } from "./activity-contract.server";

/** Calls the endpoints of `activity` (docs/contract.md#activity). Methods reject with a StorageProblem or the signal's reason. */
export class ActivityClient {
  constructor(readonly session: TokenSession) {}

  async list(body: ActivityOperations["list"], signal: AbortSignal): Promise<VisibleEvents> {
    return (await this.#post("list", body, signal)).json();
  }

  async people(signal: AbortSignal): Promise<Visitor[]> {
    return (await (await this.#post("people", {}, signal)).json()).people;
  }

  /** A CSV file, as the browser receives it. */
  async export(body: ActivityOperations["export"], signal: AbortSignal): Promise<Blob> {
    return (await this.#post("export", body, signal)).blob();
  }

  #post(endpoint: keyof ActivityOperations, body: object, signal: AbortSignal): Promise<Response> {
    return postToService(this.session, `/api/embed/activity/${endpoint}`, body, { signal });
  }
}
