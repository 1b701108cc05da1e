import { type DragEvent, useRef, useState } from "react";
import { type DropTarget, useDropMark } from "../browse/grid/drop-target";

/**
 * Event handlers for an element that takes dropped files if `allowed`, and whether files are being dragged over it.
 * @param folderUnder the folder under the pointer, if it takes the files instead
 * @returns `into`: the path of that folder
 */
export function useFileDrop(
  allowed: boolean,
  onDrop: (data: DataTransfer, into: string | null) => void,
  folderUnder: (under: EventTarget) => DropTarget | null = () => null,
) {
  const [over, setOver] = useState(false);
  const [into, setInto] = useState<string | null>(null);
  const mark = useDropMark();
  // Enter and leave events come for every child: count them.
  const depth = useRef(0);
  const aim = (target: DropTarget | null) => {
    mark(target?.element ?? null);
    setInto(target?.path ?? null);
  };
  const setDepth = (count: number) => {
    depth.current = Math.max(count, 0);
    setOver(depth.current > 0);
    if (depth.current === 0) aim(null);
  };
  const withFiles = (handle: (data: DataTransfer, under: EventTarget) => void) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    handle(event.dataTransfer, event.target);
  };
  const handlers = {
    onDragEnter: withFiles(() => setDepth(depth.current + 1)),
    onDragOver: withFiles((data, under) => {
      const target = folderUnder(under);
      aim(target);
      if (!allowed && target === null) data.dropEffect = "none";
    }),
    onDragLeave: withFiles(() => setDepth(depth.current - 1)),
    onDrop: withFiles((data, under) => {
      const target = folderUnder(under);
      setDepth(0);
      if (allowed || target !== null) onDrop(data, target?.path ?? null);
    }),
  };
  return { over, into, handlers };
}
