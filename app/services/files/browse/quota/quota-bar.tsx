import type { QuotaUse } from "platform-embed-element/client";
import { useLanguage } from "../../screen/language";

/** From this share on, the bar warns. */
const LOW = 0.8;

/** How much of its quota a customer has used, as a bar and a sentence. */
export function QuotaBar({ quota: { usedBytes, maxBytes } }: { quota: QuotaUse }) {
  const { t, formats } = useLanguage();
  // What keys without a quota have stored may exceed it.
  const share = usedBytes < maxBytes ? usedBytes / maxBytes : 1;
  return (
    <div className={share < LOW ? "quota" : "quota quota--low"}>
      <progress className="quota__bar" value={share} aria-label={t("quota.label")} />
      <span>{t("quota.used", formats.progress(usedBytes, maxBytes))}</span>
      {share === 1 && <span className="quota__full">{t("quota.full")}</span>}
    </div>
  );
}
