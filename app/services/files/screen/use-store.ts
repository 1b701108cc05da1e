import { useSyncExternalStore } from "react";

interface Part<State> {
  getState(): State;
  subscribe(listener: () => void): () => void;
}

/** The state of a part of the engine. */
export function useStore<State>(part: Part<State>): State {
  return useSyncExternalStore(part.subscribe, part.getState, part.getState);
}

/** What `select` takes from the state: a member, or a primitive value. Renders only when that changes. */
export function useSelected<State, Selected>(
  part: Part<State>,
  select: (state: State) => Selected,
): Selected {
  const get = () => select(part.getState());
  return useSyncExternalStore(part.subscribe, get, get);
}
