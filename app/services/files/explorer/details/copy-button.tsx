import { useEffect, useState } from "react";
import { IconButton } from "../icon-button";
import { useLanguage } from "../language";

/** The sign that it has been copied goes away after this, milliseconds. */
const SIGN_STAYS = 2_000;

export function CopyButton({ text, name }: { text: string; name: string }) {
  const { t } = useLanguage();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SIGN_STAYS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <IconButton
        icon={copied ? "check" : "copy"}
        label={t("look.copy", { what: name })}
        onClick={async ({ currentTarget }) => setCopied(await copyText(text, currentTarget))}
      />
      <span className="visually-hidden" role="status">
        {copied && t("look.copied")}
      </span>
    </>
  );
}

/** A frame of another site may use the clipboard only where the page around allows it; the older way asks nobody. */
async function copyText(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    // Within the dialog: nothing else can be selected while one is open.
    beside.after(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    beside.focus();
    return copied;
  }
}
