import { type DragEvent, useRef, useState } from "react";

/** Event handlers for an element that takes dropped files if `allowed`, and whether files are being dragged over it. */
export function useFileDrop(allowed: boolean, onDrop: (data: DataTransfer) => void) {
  const [over, setOver] = useState(false);
  // Enter and leave events come for every child: count them.
  const depth = useRef(0);
  const setDepth = (count: number) => {
    depth.current = Math.max(count, 0);
    setOver(depth.current > 0);
  };
  const withFiles = (handle: (data: DataTransfer) => void) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    handle(event.dataTransfer);
  };
  const handlers = {
    onDragEnter: withFiles(() => setDepth(depth.current + 1)),
    onDragOver: withFiles((data) => {
      if (!allowed) data.dropEffect = "none";
    }),
    onDragLeave: withFiles(() => setDepth(depth.current - 1)),
    onDrop: withFiles((data) => {
      setDepth(0);
      if (allowed) onDrop(data);
    }),
  };
  return { over, handlers };
}
