import { useSyncExternalStore } from "react";

/** Room for two texts beside each other. `comparison.css` has the same width. */
const ROOM_FOR_TWO = "(min-width: 720px)";

/** Whether the frame is wide enough for two texts beside each other. Browser only. */
export function useHasRoom(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(ROOM_FOR_TWO).matches);
}

function subscribe(onChange: () => void): () => void {
  const room = matchMedia(ROOM_FOR_TWO);
  room.addEventListener("change", onChange);
  return () => room.removeEventListener("change", onChange);
}
