import { useEffect, useRef, useSyncExternalStore } from "react";
import type { FrameSession } from "../../../../embed/frame/use-session";
import { summarize } from "../../transfers/summarize";
import type { Upload } from "../../transfers/upload";
import type { UploadQueue } from "../../transfers/upload-queue";
import { useLanguage } from "../language";
import { SERVICE } from "../props";

/** How long a panel in which all is well stays, milliseconds. */
const LINGER = 8_000;
/** What fails together is told of together, milliseconds. */
const ATTENTION_DELAY = 500;
/** The page around hears of progress at most this often, milliseconds. */
const REPORT_INTERVAL = 500;

/**
 * What the rest of the page has to do with the uploads: leaving it asks first, a screen reader hears how they began and ended, the
 * page around hears how far they are, and when all is well they are gone by themselves.
 * @param held somebody is looking at them: then they stay
 */
export function useUploadPage(
  queue: UploadQueue,
  host: FrameSession["host"],
  announce: (sentence: string) => void,
  held: boolean,
): Upload[] {
  const { t } = useLanguage();
  const uploads = useSyncExternalStore(queue.subscribe, queue.getUploads, queue.getUploads);
  const { running, waiting, paused, stuck, done, cancelled, files, size, sent } = summarize(uploads);
  const isPending = running.length + waiting.length > 0;
  const busy = isPending && running.length + waiting.length > paused;
  const isWell = done.length > 0 && running.length + waiting.length + stuck.length + cancelled.length === 0;

  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [busy]);

  useEffect(() => {
    if (!isWell || held) return;
    const timer = setTimeout(() => queue.clearEnded(), LINGER);
    return () => clearTimeout(timer);
  }, [isWell, held, queue]);

  // Once for all that ended together, not for each.
  const told = useRef(0);
  const lastDone = done.at(-1)?.name ?? "";
  useEffect(() => {
    const since = done.length - told.current;
    if (isPending && since >= 0) return;
    told.current = done.length;
    if (since > 0) announce(t("announcements.uploaded", { count: since, name: lastDone }));
  }, [isPending, done.length, lastDone, announce, t]);

  // Once, when the first of them needs a person, and not again for each that does or that is dealt with.
  const stuckCount = useRef(0);
  stuckCount.current = stuck.length;
  const isStuck = stuck.length > 0;
  useEffect(() => {
    if (!isStuck) return;
    const tell = () => {
      const count = stuckCount.current;
      announce(t("uploads.attention", { count }));
    };
    const timer = setTimeout(tell, ATTENTION_DELAY);
    return () => clearTimeout(timer);
  }, [isStuck, announce, t]);

  const reported = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (files === 0) return;
    const isDone = done.length === files;
    const now = performance.now();
    if (!isDone && now - reported.current < REPORT_INTERVAL) return;
    reported.current = now;
    host.post({
      type: "platform.embed.upload-progress",
      service: SERVICE,
      files,
      filesDone: done.length,
      size,
      sent,
    });
  }, [files, done.length, size, sent, host]);

  return uploads;
}
