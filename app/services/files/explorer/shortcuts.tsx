import { useEffect, useRef } from "react";
import type { List } from "../browse/folder/use-list";
import type { ListActions } from "../browse/folder/use-list-actions";
import type { Navigation } from "../browse/folder/use-navigation";
import type { ChangeCommands, Command } from "../changes/use-change-commands";
import type { ScopeAction } from "../place/actions";
import { focusSearchBox } from "../search/search-box";
import { lazyPanel } from "./lazy-panel";

const LazyHelp = lazyPanel(({ Help }) => Help);

const commands: Record<string, Command> = { F2: "rename", Delete: "delete" };
/** With Ctrl or ⌘. On a Mac, ⌘ Backspace deletes. */
const withCommand: Record<string, Command> = { x: "cut", c: "clip", backspace: "delete" };

/** The Latin letter of a key; on a keyboard of another script, the one in the same place on an English keyboard. */
const letterOf = ({ key, code }: KeyboardEvent) =>
  (/^[a-z]$/i.test(key) ? key : code.replace("Key", "")).toLowerCase();

interface ShortcutsProps {
  actions: readonly ScopeAction[];
  navigation: Pick<Navigation, "leaveSearch" | "openParent">;
  list: Pick<List, "selection" | "isFiltered">;
  listActions: Pick<ListActions, "selectAll">;
  changes: Pick<ChangeCommands, "may" | "paste" | "dispatch" | "dispatchByKey">;
  /** what can be done here, and all shortcuts, are shown */
  hasHelp: boolean;
  setHelp(isOpen: boolean): void;
  /** shows the files that were added last */
  onRecent(): void;
}

/**
 * Keyboard shortcuts of the whole screen. They do nothing in a text field, a dialog or a menu. `help.tsx` lists all shortcuts. Those of a
 * focused row are in `use-grid-keyboard`.
 */
export function Shortcuts(props: ShortcutsProps) {
  const close = () => props.setHelp(false);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || !(target instanceof HTMLElement)) return;
      if (
        target.isContentEditable ||
        target.closest("input:not([type=checkbox]), textarea, select, dialog, [role=menu]")
      )
        return;
      const { navigation, changes, list, listActions, setHelp, onRecent } = latest.current;
      const letter = (event.ctrlKey || event.metaKey) && !event.altKey ? letterOf(event) : "";
      const plain = !(event.ctrlKey || event.metaKey || event.altKey);
      const goesUp = key === "ArrowUp" && event.altKey !== event.metaKey && !event.ctrlKey;
      const showsRecent = event.altKey && !(event.ctrlKey || event.metaKey || event.shiftKey);
      const command = plain ? commands[key] : withCommand[letter];
      const row = target.closest<HTMLElement>("[data-row]");
      // Selected text is copied by the browser.
      if ((letter === "x" || letter === "c") && document.getSelection()?.isCollapsed === false) return;
      // A key that is held down does it once: otherwise it would go on with what comes next.
      if (event.repeat && (command || letter === "v" || letter === "z" || letter === "y"))
        event.preventDefault();
      else if (command) changes.dispatchByKey(command, row ? Number(row.dataset.row) : undefined);
      else if (letter === "a") listActions.selectAll();
      else if (plain && key === "Escape") {
        if (list.selection.ids.size > 0) list.selection.clear();
        else if (list.isFiltered) navigation.leaveSearch();
      } else if (plain && key === "?") setHelp(true);
      else if (plain && key === "/") focusSearchBox();
      else if (showsRecent && letterOf(event) === "r") onRecent();
      else if (goesUp || (plain && key === "Backspace")) navigation.openParent?.();
      else if (changes.paste && letter === "v") changes.paste();
      else if (changes.may.undo && (letter === "z" || letter === "y"))
        changes.dispatch(letter === "y" || event.shiftKey ? "redo" : "undo");
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);

  return props.hasHelp && <LazyHelp actions={props.actions} onClose={close} onGiveUp={close} />;
}
