import { type KeyboardEvent, type ReactElement, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Icon, type IconName } from "../../../embed/components/icons";
import { topDialog } from "./dialog";
import { keyNames } from "./key-names";
import { isRightToLeft, useLanguage } from "./language";
import { TypeAhead } from "./type-ahead";

/** A point of the screen, CSS pixels. */
export interface Point {
  clientX: number;
  clientY: number;
}

export interface MenuEntry {
  name: string;
  icon: IconName | ReactElement;
  /** keyboard shortcut in the notation of `aria-keyshortcuts` */
  keys?: string;
  /** starts a group: a line above it */
  begins?: boolean;
  isDangerous?: boolean;
  /** one of several alternatives, and whether it is the present one */
  isChosen?: boolean;
  run(): void;
}

interface MenuProps {
  label: string;
  entries: MenuEntry[];
  at: Point;
  onClose(): void;
}

/** Minimum distance from the edges of the frame, CSS pixels. */
const EDGE_MARGIN = 8;

/** A menu at a point of the screen. https://www.w3.org/WAI/ARIA/apg/patterns/menubar/ */
export function Menu({ label, entries, at, onClose }: MenuProps) {
  const { t } = useLanguage();
  const namesOf = keyNames(t);
  const menu = useRef<HTMLDivElement>(null);
  const [typing] = useState(() => new TypeAhead());
  useReturnedFocus(menu);
  useSwallowedClick(menu);

  useLayoutEffect(() => {
    const element = menu.current;
    if (!element) return;
    const { clientWidth, clientHeight } = document.documentElement;
    const { offsetWidth, offsetHeight } = element;
    const within = (start: number, size: number, room: number) =>
      `${Math.max(Math.min(start, room - size - EDGE_MARGIN), EDGE_MARGIN)}px`;
    // The menu opens in reading direction.
    const left = isRightToLeft() ? at.clientX - offsetWidth : at.clientX;
    // On a narrow screen the style sheet puts it at the bottom.
    element.style.setProperty("--menu-left", within(left, offsetWidth, clientWidth));
    element.style.setProperty("--menu-top", within(at.clientY, offsetHeight, clientHeight));
    element.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
  }, [at]);

  const cover = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    window.addEventListener("resize", onClose, { signal });
    // The person has clicked on the page around the frame.
    window.addEventListener("blur", onClose, { signal });
    cover.current?.addEventListener("click", onClose, { signal });
    const onContextMenu = (event: Event) => {
      event.preventDefault();
      onClose();
    };
    cover.current?.addEventListener("contextmenu", onContextMenu, { signal });
    return () => stop.abort();
  }, [onClose]);

  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const here = items.indexOf(document.activeElement as HTMLElement);
    const moves: Record<string, number> = {
      ArrowDown: (here + 1) % items.length,
      ArrowUp: (here - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    const isLetter = !event.ctrlKey && !event.metaKey && typing.takes(event.key, here);
    const target = isLetter ? typing.find(entries, event.key, here) : moves[event.key];
    if (target !== undefined) items[target]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // Inside the main landmark, or of the dialog that covers everything else.
  return createPortal(
    <>
      <div ref={cover} className="menu-cover" />
      <div ref={menu} className="menu" role="menu" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
        {entries.map(({ name, icon, keys, begins, isDangerous, isChosen, run }, index) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: folders inside of each other may have the same name
            key={index}
            type="button"
            {...(isChosen === undefined
              ? { role: "menuitem" }
              : { role: "menuitemradio", "aria-checked": isChosen })}
            tabIndex={-1}
            className={`menu__item${isDangerous ? " menu__item--danger" : ""}${begins ? " menu__item--begins" : ""}`}
            aria-keyshortcuts={keys}
            onPointerMove={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
            onClick={({ detail }) => {
              // The second click of a double click on the button below the menu.
              if (detail > 1) return;
              onClose();
              run();
            }}
          >
            {typeof icon === "string" ? <Icon name={icon} /> : icon}
            <span dir="auto">{name}</span>
            {keys && (
              // `aria-keyshortcuts` says it: an entry is not called "Delete Delete".
              <span className="menu__keys" aria-hidden="true">
                <bdi dir="ltr">{namesOf(keys.replace("Control", "Ctrl"))}</bdi>
              </span>
            )}
          </button>
        ))}
      </div>
    </>,
    document.fullscreenElement ?? topDialog() ?? document.querySelector(".main") ?? document.body,
  );
}

/**
 * Closes the menu or dialog on top without a choice, as Escape does.
 * @returns whether there was one
 */
export function closeTop(): boolean {
  const cover = document.querySelector<HTMLElement>(".menu-cover");
  const dialog = topDialog();
  if (cover) cover.click();
  else dialog?.dispatchEvent(new Event("cancel", { cancelable: true }));
  return cover !== null || dialog !== undefined;
}

/** Where a menu opens below its button. */
export function pointBelow(button: Element): Point {
  const { left, right, bottom } = button.getBoundingClientRect();
  return { clientX: isRightToLeft() ? right : left, clientY: bottom + 4 };
}

/** Returns the focus when the menu closes, unless it has moved elsewhere. */
function useReturnedFocus(menu: { current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const element = menu.current;
    const before = document.activeElement;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [menu]);
}

/** After a long press, lifting the finger must not click the element below. */
function useSwallowedClick(menu: { current: HTMLElement | null }): void {
  useEffect(() => {
    const stop = new AbortController();
    const options = { capture: true, signal: stop.signal };
    const swallow = (event: MouseEvent) => {
      // Clicks by keyboard have `detail` 0.
      if (event.detail === 0 || menu.current?.contains(event.target as Node)) return;
      event.preventDefault();
      event.stopPropagation();
      stop.abort();
    };
    document.addEventListener("click", swallow, options);
    document.addEventListener("pointerdown", () => stop.abort(), options);
    return () => stop.abort();
  }, [menu]);
}
