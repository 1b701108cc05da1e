import { Icon, IconButton } from "../../../embed/components/icons";
import { focusList } from "../screen/focus-list";
import { useLanguage } from "../screen/language";
import type { ChangeCommands } from "./use-change-commands";

/** The content of the clipboard until it is pasted, with a button to paste it. */
export function ClipboardBar({ commands }: { commands: ChangeCommands }) {
  const { clipboard, canPaste, dispatch, clearClipboard } = commands;
  const { t } = useLanguage();
  if (clipboard === null) return null;
  const { way, rows } = clipboard;
  const leave = (act: () => void) => {
    act();
    // The bar disappears.
    focusList();
  };
  return (
    <section className="clipboard" aria-label={t("changes.clipboard")}>
      <Icon name={way === "move" ? "cut" : "copy"} />
      <p>{t(`changes.ready.${way}`, { count: rows.length, name: rows[0]?.name ?? "" })}</p>
      <button
        type="button"
        className="button button--small"
        aria-disabled={!canPaste}
        aria-keyshortcuts="Control+V"
        onClick={() => canPaste && leave(() => dispatch("paste"))}
      >
        <Icon name="paste" />
        {t("changes.paste")}
      </button>
      <IconButton icon="close" label={t("changes.clearClipboard")} onClick={() => leave(clearClipboard)} />
    </section>
  );
}
