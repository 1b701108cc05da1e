import { type Engine, eventually } from "./engine";

/** The row of a file or folder, as a selector. */
export const row = (named: string) => `[data-row][aria-label="${named}"]`;

/** The explorer on the page that an engine has open: what is seen of it, and what a person does to it. */
export function explorerIn(engine: Engine) {
  /** the names in the list */
  const names = () =>
    engine.run<string[]>(
      "frame",
      `return [...document.querySelectorAll("[data-row]")].map((row) => row.getAttribute("aria-label"))`,
    );
  const focused = () =>
    engine.run<string>("frame", `return document.activeElement.getAttribute("aria-label")`);
  /** the text of the frame's first element of that selector, null when there is none */
  const textOf = (selector: string) =>
    engine.run<string | null>(
      "frame",
      `const found = document.querySelector(arguments[0]); return found && found.textContent`,
      selector,
    );
  return {
    names,
    focused,
    textOf,
    /** Opens the integrator's page and waits until the explorer is ready. */
    async open(url: string): Promise<void> {
      await engine.open(url);
      await eventually("the explorer", () =>
        engine.run<boolean>("page", `return document.querySelector("platform-embed").state === "ready"`),
      );
    },
    listed: (...wanted: string[]) =>
      eventually(`a list of ${wanted.join(", ")}`, async () => {
        const shown = await names();
        return wanted.length === shown.length && wanted.every((name) => shown.includes(name));
      }),
    focusedOn: (name: string) => eventually(`the focus on ${name}`, async () => (await focused()) === name),
    /** `text` somewhere in the dialog that is open */
    dialogWith: (text: string) =>
      eventually(`a dialog with ${text}`, async () => (await textOf("dialog[open]"))?.includes(text)),
    withoutDialog: () => eventually("no dialog", async () => (await textOf("dialog[open]")) === null),
    clickWhenThere: (selector: string) =>
      eventually(selector, async () => {
        await engine.click(selector);
        return true;
      }),
    /** Clicks the button of that name, once there is one. */
    clickButton: (named: string) =>
      eventually(`the button ${named}`, async () => {
        const found = await engine.run<boolean>(
          "frame",
          `document.querySelector("[data-wanted]")?.removeAttribute("data-wanted");
          const nameOf = (button) => button.getAttribute("aria-label") ?? button.textContent.trim();
          const within = document.querySelector("dialog[open]") ?? document;
          const button = [...within.querySelectorAll("button, [role=menuitem], [role=treeitem]")].find(
            (button) => nameOf(button) === arguments[0] && button.checkVisibility());
          button?.setAttribute("data-wanted", "");
          return button !== undefined`,
          named,
        );
        if (found) await engine.click("[data-wanted]");
        return found;
      }),
  };
}
