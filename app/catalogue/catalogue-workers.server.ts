import type { BackgroundWorker } from "../shared/background-worker.server";
import { ChangeLogWorker } from "./change-log-worker.server";
import { ObserveWorker } from "./observe-worker.server";
import type { ScanTools } from "./scan-catalogue.server";
import { ScanWorker } from "./scan-worker.server";

/**
 * What keeps the catalogues up to date, and the log of their changes short.
 * @param maxLagSeconds undefined: nobody uses catalogues, and no table is read
 */
export const catalogueWorkers = (
  tools: ScanTools,
  maxLagSeconds: number | undefined,
): Pick<BackgroundWorker<object>, "start" | "stop">[] =>
  maxLagSeconds === undefined
    ? []
    : [new ObserveWorker(tools), new ScanWorker(tools, maxLagSeconds), new ChangeLogWorker(tools.database)];
