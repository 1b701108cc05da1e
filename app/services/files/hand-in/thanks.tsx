import type { Upload } from "platform-embed-element/client";
import { useEffect, useRef } from "react";
import { Icon } from "../../../embed/components/icons";
import { FileName } from "../screen/file-name";
import { useLanguage } from "../screen/language";

/** Names that are shown; others are only counted. */
const MAX_NAMES = 20;

interface ThanksProps {
  sent: readonly Upload[];
  /** number of files that were chosen and not sent */
  unsent: number;
  onMore(): void;
}

/** The end of the visit. The person may go back and send more. */
export function Thanks({ sent, unsent, onMore }: ThanksProps) {
  const { t } = useLanguage();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const rest = sent.length - MAX_NAMES;
  return (
    <main className="hand-in__main" aria-label={t("handIn.thanks")}>
      <div className="hand-in__column thanks">
        <span className="thanks__icon">
          <Icon name="check" />
        </span>
        <h1 ref={heading} tabIndex={-1}>
          {t("handIn.thanks")}
        </h1>
        <p className="hand-in__text">{t("handIn.handedIn", { count: sent.length })}</p>
        {unsent > 0 && (
          <p className="hand-in__notice">
            <Icon name="warning" />
            <span>{t("handIn.unsent", { count: unsent })}</span>
          </p>
        )}
        <ul className="thanks__names">
          {sent.slice(0, MAX_NAMES).map(({ id, name }) => (
            <li key={id}>
              <FileName name={name} />
            </li>
          ))}
          {rest > 0 && <li>{t("uploads.moreDone", { count: rest })}</li>}
        </ul>
        <button type="button" className="button" onClick={onMore}>
          {t("handIn.more")}
        </button>
      </div>
    </main>
  );
}
