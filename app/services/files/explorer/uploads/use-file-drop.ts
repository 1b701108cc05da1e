import { type DragEvent, useRef, useState } from "react";

/** Handlers for an element that files can be dropped on, and whether some are held over it now. */
export function useFileDrop(onDrop: (data: DataTransfer) => void) {
  const [over, setOver] = useState(false);
  // Each child entered and left counts; only when all have been left are the files gone.
  const depth = useRef(0);
  const leave = (count: number) => {
    depth.current = Math.max(count, 0);
    setOver(depth.current > 0);
  };
  const handlers = {
    onDragEnter(event: DragEvent) {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      leave(depth.current + 1);
    },
    onDragOver(event: DragEvent) {
      if (carriesFiles(event)) event.preventDefault();
    },
    onDragLeave(event: DragEvent) {
      if (carriesFiles(event)) leave(depth.current - 1);
    },
    onDrop(event: DragEvent) {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      leave(0);
      onDrop(event.dataTransfer);
    },
  };
  return { over, handlers };
}

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer.types.includes("Files");
}
