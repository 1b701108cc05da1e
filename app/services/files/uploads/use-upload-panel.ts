import type { Upload, Uploads, UploadsState } from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";
import type { FrameSession } from "../../../embed/frame/use-session";
import { SERVICE } from "../place/props";
import { useLanguage } from "../screen/language";
import { useStore } from "../screen/use-store";
import { summarize } from "./upload-summary";

/** Uploads that fail within this time are announced together. */
const ATTENTION_DELAY_MS = 500;
/** Minimum time between two progress messages to the embedding page. */
const REPORT_INTERVAL_MS = 500;

/**
 * Effects of uploads on the page: screen readers hear about results, and the embedding page gets progress messages.
 */
export function useUploadPanel(
  engine: Uploads,
  embeddingPage: FrameSession["embeddingPage"],
  announce: (sentence: string) => void,
): UploadsState {
  const { t } = useLanguage();
  const state = useStore(engine);
  const { pendingCount, stuck, done, fileCount, size, sent } = summarize(state.uploads);
  const isPending = pendingCount > 0;

  // One announcement for all uploads that ended together.
  const told = useRef(0);
  const lastDone = done.at(-1)?.name ?? "";
  useEffect(() => {
    const since = done.length - told.current;
    if (isPending && since >= 0) return;
    told.current = done.length;
    if (since > 0) announce(t("announcements.uploaded", { count: since, name: lastDone }));
  }, [isPending, done.length, lastDone, announce, t]);

  // One announcement when the first upload needs a decision, none for the following ones.
  const stuckCount = useRef(0);
  stuckCount.current = stuck.length;
  const needsAttention = stuck.length > 0;
  useEffect(() => {
    if (!needsAttention) return;
    const tell = () => {
      const count = stuckCount.current;
      announce(t("uploads.attention", { count }));
    };
    const timer = setTimeout(tell, ATTENTION_DELAY_MS);
    return () => clearTimeout(timer);
  }, [needsAttention, announce, t]);

  const reported = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (fileCount === 0) return;
    const isDone = done.length === fileCount;
    const now = performance.now();
    if (!isDone && now - reported.current < REPORT_INTERVAL_MS) return;
    reported.current = now;
    embeddingPage.post({
      type: "platform.embed.upload-progress",
      service: SERVICE,
      files: fileCount,
      filesDone: done.length,
      size,
      sent,
    });
  }, [fileCount, done.length, size, sent, embeddingPage]);

  return state;
}

/** How long lines keep their places after the pointer has moved over them. */
const STILL_MS = 2_000;

interface Lines {
  /** needing a decision, running or waiting */
  ongoing: Upload[];
  ended: Upload[];
}

/** Keeps the lines in their places while the pointer moves over them, so that a click hits the line it was meant for. */
export function useSettledLines(uploads: readonly Upload[], lines: Lines) {
  const [movedAt, setMovedAt] = useState(0);
  const still = movedAt > 0;
  const shown = useRef(lines);

  useEffect(() => {
    if (movedAt === 0) return;
    const timer = setTimeout(() => setMovedAt(0), STILL_MS);
    return () => clearTimeout(timer);
  }, [movedAt]);

  if (still) {
    const current = new Map(uploads.map((upload) => [upload.id, upload]));
    const currentOf = (kept: Upload[]) => kept.flatMap(({ id }) => current.get(id) ?? []);
    shown.current = { ongoing: currentOf(shown.current.ongoing), ended: currentOf(shown.current.ended) };
  } else {
    shown.current = lines;
  }
  return {
    lines: shown.current,
    ofPointer: {
      onPointerMove: ({ timeStamp }: { timeStamp: number }) => setMovedAt(timeStamp),
      onPointerLeave: () => setMovedAt(0),
    },
  };
}
