import type { BackgroundWorker } from "../shared/background-worker.server";
import { ObserveWorker } from "./observe-worker.server";
import type { ScanTools } from "./scan-catalogue.server";
import { ScanWorker } from "./scan-worker.server";

/**
 * What keeps the catalogues up to date.
 * @param maxLagSeconds undefined: nobody uses catalogues, and no table is read
 */
export const catalogueWorkers = (
  tools: ScanTools,
  maxLagSeconds: number | undefined,
): Pick<BackgroundWorker<object>, "start" | "stop">[] =>
  maxLagSeconds === undefined ? [] : [new ObserveWorker(tools), new ScanWorker(tools, maxLagSeconds)];
