import { ReactiveElement as LitReactiveElement } from "@lit/reactive-element";

/** What the element uses of Lit. The package has that part of Lit inside, so its types, too, need no Lit of an integrator's. */
declare class ReactiveElementOfLit extends HTMLElement {
  static properties: Record<string, object>;
  static styles?: unknown;
  readonly updateComplete: Promise<boolean>;
  connectedCallback(): void;
  disconnectedCallback(): void;
  requestUpdate(): void;
  protected willUpdate(changed: ChangedProperties): void;
  protected updated(changed: ChangedProperties): void;
  protected createRenderRoot(): HTMLElement | DocumentFragment;
}

/** What each changed property was before. */
export type ChangedProperties = ReadonlyMap<PropertyKey, unknown>;

export const ReactiveElement = LitReactiveElement as unknown as typeof ReactiveElementOfLit;
