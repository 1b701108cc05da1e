import type { Row } from "platform-embed-element/client";
import type { ChangeCommands, Command } from "../changes/use-change-commands";
import type { Translate } from "../screen/language";
import type { MenuEntry } from "../screen/menu";

/**
 * What changes the file in the preview, as entries of its menu. Each closes the preview first: its field, its dialog, or the notice with
 * Undo would be behind it.
 * @param close calls its argument when the row of the file is on the screen
 */
export function changeEntries(
  t: Translate,
  { may, dispatch }: Pick<ChangeCommands, "may" | "dispatch">,
  rows: Row[],
  close: (then: () => void) => void,
): MenuEntry[] {
  const entry = (command: Command, entry: Omit<MenuEntry, "run">): MenuEntry[] =>
    may[command] ? [{ ...entry, run: () => close(() => dispatch(command, rows)) }] : [];
  return [
    ...entry("rename", { name: t("changes.rename"), icon: "rename" }),
    ...entry("move", { name: t("changes.moveTo"), icon: "folderMove" }),
    ...entry("copy", { name: t("changes.copyTo"), icon: "folderCopy" }),
    ...entry("restore", { name: t("changes.restore"), icon: "undo" }),
    ...entry("delete", { name: t("changes.delete"), icon: "trash", begins: true, isDangerous: true }),
  ];
}
