/** Calls each listener. An error of one is thrown later, as `EventTarget` does, so that neither the others nor the caller are affected. */
export function callListeners<Arguments extends unknown[]>(
  listeners: Iterable<(...values: Arguments) => void>,
  ...values: Arguments
): void {
  for (const listener of listeners) {
    try {
      listener(...values);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
