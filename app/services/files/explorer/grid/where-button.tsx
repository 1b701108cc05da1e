import { useLanguage } from "../language";

/** Where a hit lies; it leads there. @param active the row or tile is the one in the tab order */
export function WhereButton({ where, active }: { where: string; active: boolean }) {
  const { t } = useLanguage();
  return (
    <button
      type="button"
      className="row__where"
      dir="auto"
      tabIndex={active ? 0 : -1}
      title={where}
      aria-label={t("search.openFolder", { folder: where })}
    >
      {where.replaceAll("/", " / ")}
    </button>
  );
}
