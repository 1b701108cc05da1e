import { IconButton } from "../icon-button";
import { Icon } from "../icons";
import { useLanguage } from "../language";
import type { useClipboard } from "./use-clipboard";

/** What has been cut or copied and not pasted yet, and a button for who has no keyboard. */
export function ClipboardBar({ clipboard, canPaste, paste, clear }: ReturnType<typeof useClipboard>) {
  const { t } = useLanguage();
  if (clipboard === null || clipboard.isPasted) return null;
  const { way, rows } = clipboard;
  const leave = (element: Element, act: () => void) => {
    const main = element.closest(".explorer")?.querySelector<HTMLElement>(".main");
    act();
    main?.focus({ preventScroll: true });
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
        onClick={({ currentTarget }) => canPaste && leave(currentTarget, paste)}
      >
        <Icon name="paste" />
        {t("changes.paste")}
      </button>
      <IconButton
        icon="close"
        label={t("changes.clearClipboard")}
        onClick={({ currentTarget }) => leave(currentTarget, clear)}
      />
    </section>
  );
}
