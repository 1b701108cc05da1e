import { asFilesError, type FilesError, isAbort } from "platform-embed-element/client";
import { type DependencyList, useEffect, useState } from "react";

type Loaded<Value> =
  | { state: "loading" }
  | { state: "ready"; value: Value }
  | { state: "failed"; problem: FilesError };

/** Runs `load` when `dependencies` change, and aborts the previous load. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: DependencyList,
): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ state: "loading" });
  useEffect(() => {
    const abort = new AbortController();
    setLoaded({ state: "loading" });
    load(abort.signal).then(
      (value) => !abort.signal.aborted && setLoaded({ state: "ready", value }),
      (error) =>
        !isAbort(error) &&
        !abort.signal.aborted &&
        setLoaded({ state: "failed", problem: asFilesError(error) }),
    );
    return () => abort.abort();
    // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says what the value depends on
  }, dependencies);
  return loaded;
}
