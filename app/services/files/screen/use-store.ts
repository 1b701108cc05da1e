import { useSyncExternalStore } from "react";

interface Part<State> {
  getState(): State;
  subscribe(listener: () => void): () => void;
}

/** The state of a part of the engine. */
export function useStore<State>(part: Part<State>): State {
  return useSyncExternalStore(part.subscribe, part.getState, part.getState);
}
