/** Kills the app while it changes what is in the store, and repeats requests until they are done. */
import type { Intercept } from "../../local/object-store";
import type { BuiltApp } from "../../tests/support/app/built-app";
import type { Change, ChangeCalls } from "../../tests/support/files/change-calls";
import type { FaultyStore } from "../../tests/support/files/faulty-store";
import type { ChangeOperation } from "./checkers/changes";
import type { Recorder } from "./drill";

export interface Kills {
  count: number;
  /** while the app is being killed and started again */
  running: Promise<void> | undefined;
}

type KillOperation = Extract<ChangeOperation, { what: "changed in the store" | "app killed" }>;

type StoreRequest = Parameters<Intercept>[0];

/** Whether the request copies or deletes an object. */
export const isChange = ({ method, headers }: StoreRequest): boolean =>
  method === "DELETE" || (method === "PUT" && "x-amz-copy-source" in headers);

/**
 * Kills the app when the store has received so many changes, each time while it makes one, and starts the app again.
 * @param moments numbers of changes, ascending
 * @param whileDown runs before the app is started again
 */
export function killAfterChanges(
  app: BuiltApp,
  faulty: FaultyStore,
  moments: readonly number[],
  recorder: { add(operation: KillOperation): void },
  {
    counts = isChange,
    killsAt = counts,
    whileDown = async () => {},
  }: {
    counts?: (request: StoreRequest) => boolean;
    /** whether the app, when it is to be killed, is killed at this request. `kills`: how many times it was killed before */
    killsAt?: (request: StoreRequest, kills: number) => boolean;
    whileDown?: () => Promise<void>;
  } = {},
): Kills {
  const kills: Kills = { count: 0, running: undefined };
  let changes = 0;
  faulty.intercept = (request) => {
    const asked = `${request.method} ${request.key}`;
    if (counts(request)) {
      changes += 1;
      recorder.add({ what: "changed in the store", request: asked });
    }
    const moment = moments[kills.count];
    const isDue = moment !== undefined && changes >= moment && kills.running === undefined;
    if (isDue && killsAt(request, kills.count)) {
      kills.count += 1;
      kills.running = restart(asked).then(() => {
        kills.running = undefined;
      });
      // Whoever awaits it later gets the error.
      kills.running.catch(() => {});
    }
    return undefined;
  };
  return kills;

  async function restart(request: string): Promise<void> {
    await app.signal("SIGKILL");
    recorder.add({ what: "app killed", changes, request });
    await whileDown();
    await app.start();
  }
}

type Response = Awaited<ReturnType<ChangeCalls["ask"]>>["body"];

/**
 * Sends a request as a page does: with the cursor of the last response, until there is none. A request without a response is repeated.
 * @throws Error if the app refuses it
 */
export async function repeatUntilDone(
  calls: ChangeCalls,
  what: Change,
  body: object,
  kills: Kills,
  recorder: Recorder<ChangeOperation>,
  onResponse: (response: Response) => void = () => {},
): Promise<void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const response = await calls.ask(what, { ...body, ...(cursor && { cursor }) }).catch(() => undefined);
    const failed = (response?.body.failed ?? []).map(({ key, code }) => `${what} ${key}: ${code}`);
    recorder.add({ what: "asked", change: what, response: response?.status ?? "connection lost", failed });
    if (response?.status === 200) {
      cursor = response.body.cursor ?? null;
      onResponse(response.body);
    } else if (response !== undefined && response.status < 500) {
      throw new Error(`${response.status}: ${JSON.stringify(response.body)}`);
    }
    await kills.running;
  }
}
