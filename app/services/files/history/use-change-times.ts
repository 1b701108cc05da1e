import { asFilesError, type FilesClient, type FilesError, isAbort } from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";

interface ChangeTimes {
  /** minutes, unix milliseconds, in their order */
  times: readonly number[];
  isLoading: boolean;
  problem: FilesError | null;
}

const nothing: ChangeTimes = { times: [], isLoading: true, problem: null };

/**
 * The minutes in which something changed below a folder, as they are found. They are kept while the component is mounted.
 * @param from first moment, unix milliseconds
 * @param to the moment after the last
 */
export function useChangeTimes(
  client: FilesClient,
  folderPath: string,
  { from, to }: { from: number; to: number },
): ChangeTimes & { retry(): void } {
  const [found, setFound] = useState<ChangeTimes & { from: number }>({ ...nothing, from });
  const [attempt, setAttempt] = useState(0);
  const known = useRef(new Map<number, readonly number[]>());

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again
  useEffect(() => {
    const before = known.current.get(from);
    if (before) {
      setFound({ from, times: before, isLoading: false, problem: null });
      return;
    }
    const abort = new AbortController();
    const load = async () => {
      const minutes = new Set<number>();
      const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      for await (const page of client.history.changeTimes(folderPath, range, { signal: abort.signal })) {
        for (const time of page.times) minutes.add(Date.parse(time));
        const times = [...minutes].sort((a, b) => a - b);
        const isLoading = page.cursor !== null;
        if (!isLoading) known.current.set(from, times);
        setFound({ from, times, isLoading, problem: null });
      }
    };
    setFound({ ...nothing, from });
    load().catch((error: unknown) => {
      if (isAbort(error)) return;
      setFound((before) => ({ ...before, isLoading: false, problem: asFilesError(error) }));
    });
    return () => abort.abort();
  }, [client, folderPath, from, to, attempt]);

  // In the rendering in which the range changes, what was found belongs to another one.
  const current = found.from === from ? found : nothing;
  return { ...current, retry: () => setAttempt((count) => count + 1) };
}
