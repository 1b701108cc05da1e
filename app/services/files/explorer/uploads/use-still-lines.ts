import { useEffect, useRef, useState } from "react";
import type { Upload } from "../../transfers/upload";

/** How long the lines stay where they are after a pointer moved over them, milliseconds: who aims at one still gets it. */
const STILL = 2_000;

interface Lines {
  /** what needs a person, runs or waits */
  ongoing: Upload[];
  ended: Upload[];
}

/** Keeps the lines of uploads in their places while a pointer moves over them: what ends or comes meanwhile would push them from under it. */
export function useStillLines(uploads: readonly Upload[], lines: Lines) {
  const [movedAt, setMovedAt] = useState(0);
  const still = movedAt > 0;
  const shown = useRef(lines);

  useEffect(() => {
    if (movedAt === 0) return;
    const timer = setTimeout(() => setMovedAt(0), STILL);
    return () => clearTimeout(timer);
  }, [movedAt]);

  if (still) {
    const current = new Map(uploads.map((upload) => [upload.id, upload]));
    const asNow = (kept: Upload[]) => kept.flatMap(({ id }) => current.get(id) ?? []);
    shown.current = { ongoing: asNow(shown.current.ongoing), ended: asNow(shown.current.ended) };
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
