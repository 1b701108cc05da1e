import { IconButton } from "../icon-button";
import { Icon } from "../icons";
import { useLanguage } from "../language";
import type { Navigation } from "./use-navigation";

/** The way down from the root of what may be seen. A long one folds its middle away on narrow screens. */
export function Breadcrumbs({ crumbs, open }: Navigation) {
  const { t } = useLanguage();
  const here = crumbs.length - 1;
  const above = crumbs[here - 1];
  return (
    <nav className="crumbs" aria-label={t("breadcrumbs")}>
      {above && (
        <IconButton
          icon="arrow"
          className="crumbs__up needs-script"
          label={t("up")}
          onClick={() => open(above.path)}
        />
      )}
      <ol>
        {crumbs.map(({ name, path: target }, index) => (
          <li key={target}>
            {index === here ? (
              <h1 className="crumb crumb--here" aria-current="page" title={name}>
                {name}
              </h1>
            ) : (
              <button type="button" className="crumb" title={name} onClick={() => open(target)}>
                {name}
              </button>
            )}
            {index < here && <Icon name="chevron" />}
          </li>
        ))}
      </ol>
    </nav>
  );
}
