import type { FilesClient, QuotaUse } from "platform-embed-element/client";
import { useEffect, useState } from "react";

/** What ends within this time is one request. */
const QUIET_MS = 1_000;

/**
 * Asks how full the quota is when the client's own uploads and changes have ended.
 * @param onQuota called with each response; without one, nothing is called
 * @param isWanted whether it is asked now, too
 * @returns a function that stops it
 */
export function followQuota(
  client: Pick<FilesClient, "on" | "quota">,
  onQuota: (quota: QuotaUse | null) => void,
  isWanted = false,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = new AbortController();
  const cancel = () => {
    clearTimeout(timer);
    asked.abort();
  };
  const ask = async ({ signal } = asked) => {
    try {
      const quota = await client.quota(signal);
      if (!signal.aborted) onQuota(quota);
    } catch {
      // The last number stays, until something else has changed.
    }
  };
  const onChange = () => {
    cancel();
    asked = new AbortController();
    timer = setTimeout(ask, QUIET_MS);
  };
  // An upload that is refused may be the first that tells of what others have stored.
  const stops = (["uploaded", "uploadFailed", "changed"] as const).map((event) => client.on(event, onChange));
  if (isWanted) void ask();
  return () => {
    cancel();
    for (const stop of stops) stop();
  };
}

/** How full the quota is. @param first what came with the page; null: nothing is asked */
export function useQuota(client: FilesClient, first: QuotaUse | "late" | null): QuotaUse | null {
  const isLate = first === "late";
  const [quota, setQuota] = useState(isLate ? null : first);
  const isAsked = first !== null;
  useEffect(() => (isAsked ? followQuota(client, setQuota, isLate) : undefined), [client, isAsked, isLate]);
  return quota;
}
