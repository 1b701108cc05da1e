import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EarlyActions, INTERACTIVE } from "./early-actions";

/** As much of an element as is asked about it; Node has none. @param kind a tag, with an attribute where that matters */
class FakeElement {
  dataset: Record<string, string> = {};
  /** what has been done to it again */
  readonly done: string[] = [];
  constructor(readonly kind: string) {}
  matches(selectors: string): boolean {
    return selectors.split(", ").some((one) => this.kind === one || this.kind.startsWith(`${one}[`));
  }
  closest(selectors: string): FakeElement | null {
    return this.matches(selectors) ? this : null;
  }
  dispatchEvent(event: FakeEvent): void {
    const { key, shiftKey } = event.init;
    const value = this instanceof FakeInput ? ` ${this.values.join(">")}` : "";
    this.done.push(`${event.type}${key ? ` ${shiftKey ? "Shift+" : ""}${key}` : ""}${value}`);
    log.push(this.done.at(-1) ?? "");
  }
}
class FakeInput extends FakeElement {
  readonly values: string[] = [];
  get value(): string {
    return this.values.at(-1) ?? "";
  }
  set value(value: string) {
    this.values.push(value);
  }
}
class FakeEvent {
  constructor(
    readonly type: string,
    readonly init: { key?: string; shiftKey?: boolean } = {},
  ) {}
}

type Listener = (event: object) => void;
let listeners: { type: string; listener: Listener; signal?: AbortSignal }[];
let page: { documentElement: FakeElement; body: FakeElement; activeElement: FakeElement };
let log: string[];

beforeEach(() => {
  listeners = [];
  log = [];
  const addEventListener = (type: string, listener: Listener, { signal }: { signal?: AbortSignal }) =>
    listeners.push({ type, listener, signal });
  const body = new FakeElement("body");
  page = { documentElement: new FakeElement("html"), body, activeElement: body };
  const fakes = { Element: FakeElement, HTMLElement: FakeElement, HTMLInputElement: FakeInput };
  const events = { MouseEvent: FakeEvent, KeyboardEvent: FakeEvent, InputEvent: FakeEvent };
  const globals = { ...fakes, ...events, addEventListener, document: { ...page, addEventListener } };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  vi.stubGlobal("document", Object.assign(page, { addEventListener }));
  new EarlyActions();
});
afterEach(() => vi.unstubAllGlobals());

function happen(type: string, members: object = {}): { isKept: boolean } {
  const seen = { isKept: false };
  const event = {
    isTrusted: true,
    ctrlKey: false,
    preventDefault: () => {
      seen.isKept = true;
    },
    stopImmediatePropagation: () => {},
    ...members,
  };
  for (const { listener, signal, ...one } of listeners)
    if (one.type === type && !signal?.aborted) listener(event);
  return seen;
}
const click = (target: FakeElement, members: object = {}) => happen("click", { target, ...members });
const press = (key: string, target: FakeElement, members: object = {}) =>
  happen("keydown", { key, target, ...members });
/** The scripts take over. */
async function takeOver(): Promise<void> {
  happen(INTERACTIVE);
  // Each of them waits for the one before.
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setTimeout(resolve));
}

const row = () => new FakeElement("div");

test("clicks are done once the scripts have taken over, in their order, and of several in one place the last", async () => {
  const [first, second] = [row(), row()];
  expect(click(first)).toEqual({ isKept: true });
  click(second);
  click(first);
  expect(log).toEqual([]);
  expect(page.documentElement.dataset).toHaveProperty("early");
  await takeOver();
  expect(page.documentElement.dataset).not.toHaveProperty("early");
  expect([first.done, second.done]).toEqual([["click"], ["click"]]);
  expect(click(first)).toEqual({ isKept: false });
});

test("two clicks on a checkbox are two", async () => {
  const checkbox = new FakeInput("input[type=checkbox]");
  click(checkbox);
  click(checkbox);
  await takeOver();
  expect(checkbox.done).toHaveLength(2);
});

test("what the browser does without scripts, and what a script does, is left alone", () => {
  expect(click(new FakeElement("a"))).toEqual({ isKept: false });
  expect(click(new FakeElement("input[type=file]"))).toEqual({ isKept: false });
  expect(click(row(), { isTrusted: false })).toEqual({ isKept: false });
});

test("keys in the list are pressed again where the focus is by then", async () => {
  const [before, later] = [row(), row()];
  expect(press("ArrowDown", before)).toEqual({ isKept: true });
  press("ArrowDown", before, { shiftKey: true });
  page.activeElement = later;
  await takeOver();
  expect(before.done).toEqual([]);
  expect(later.done).toEqual(["keydown ArrowDown", "keydown Shift+ArrowDown"]);
});

test("keys that a field, a button or the browser has a use for are left to them", () => {
  for (const key of ["Tab", "Shift", "F5"]) expect(press(key, row())).toEqual({ isKept: false });
  for (const held of ["ctrlKey", "metaKey", "altKey"])
    expect(press("r", row(), { [held]: true })).toEqual({ isKept: false });
  for (const kind of ["input", "textarea", "select", "button", "a"])
    expect(press("Enter", new FakeElement(kind))).toEqual({ isKept: false });
  expect(press(" ", page.body)).toEqual({ isKept: false });
});

test("what is typed is said to the field again, as another value than before", async () => {
  const field = new FakeInput("input");
  field.value = "b";
  happen("input", { target: field });
  field.value = "ba";
  expect(happen("input", { target: field })).toEqual({ isKept: true });
  await takeOver();
  expect(field.done).toEqual(["input b>ba>>ba"]);
});

test("no more is kept than a person does on purpose", async () => {
  const rows = Array.from({ length: 40 }, row);
  for (const one of rows) click(one);
  await takeOver();
  expect(log).toHaveLength(30);
  expect(rows.at(-1)?.done).toEqual([]);
});
