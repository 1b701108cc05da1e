/** Posted in the document by the view once its scripts have taken over from the server's rendering. */
export const INTERACTIVE = "platform-embed-interactive";

/** More than anybody does in a few seconds on purpose. */
const MOST_KEPT = 30;

type Again = () => void;

/**
 * What a person does while the page is on the screen and its scripts are still on their way: clicks, keys and typing, kept in their order and
 * done when the scripts have taken over. All listeners are on the window and stop what they keep, so that nothing is done twice.
 */
export class EarlyActions {
  #kept = new Map<unknown, Again>();
  #stop = new AbortController();

  constructor() {
    const options = { capture: true, signal: this.#stop.signal };
    addEventListener("click", (event) => this.#onClick(event), options);
    addEventListener("keydown", (event) => this.#onKey(event), options);
    addEventListener("input", (event) => this.#onInput(event), options);
    document.addEventListener(INTERACTIVE, () => void this.#replay(), { once: true });
  }

  /** Of several clicks in one place, which impatience makes, the last counts; two on a checkbox are two. */
  #onClick(event: MouseEvent): void {
    const { target } = event;
    if (!(target instanceof Element) || target.closest("a, input[type=file]")) return;
    const { bubbles, cancelable, detail, ctrlKey, metaKey, shiftKey } = event;
    const copy = new MouseEvent("click", { bubbles, cancelable, detail, ctrlKey, metaKey, shiftKey });
    this.#keep(event, isCheckbox(target) ? event : target, () => target.dispatchEvent(copy));
  }

  /** Not keys that a field, a button or the browser has a use for. */
  #onKey(event: KeyboardEvent): void {
    const { target, key, shiftKey } = event;
    const isCommand = event.ctrlKey || event.metaKey || event.altKey;
    if (isCommand || /^(Tab|Shift|F\d+)$/.test(key) || !(target instanceof HTMLElement)) return;
    if (target === document.body || target.closest("input, textarea, select, button, a")) return;
    this.#keep(event, event, () => {
      const copy = new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(copy);
    });
  }

  /** The text is in the field already; React takes it for its own unless the field has had another value in between. */
  #onInput(event: Event): void {
    const { target } = event;
    if (!(target instanceof HTMLInputElement) || target.matches("[type=checkbox], [type=file]")) return;
    const { value } = target;
    this.#keep(event, target, () => {
      target.value = "";
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(target, value);
      target.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
  }

  /** @param place whatever is kept for the same one before is forgotten */
  #keep(event: Event, place: unknown, again: Again): void {
    if (!event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#kept.delete(place);
    if (this.#kept.size < MOST_KEPT) this.#kept.set(place, again);
    // The pointer shows that something is on its way.
    document.documentElement.dataset.early = "";
  }

  /** One after the other: what one does, another row or another folder, has to be on the screen before the next. */
  async #replay(): Promise<void> {
    this.#stop.abort();
    delete document.documentElement.dataset.early;
    for (const again of this.#kept.values()) {
      again();
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
}

const isCheckbox = (element: Element) => element.matches("input[type=checkbox]");
