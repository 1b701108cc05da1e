import { useRef } from "react";
import { IconButton } from "../icon-button";
import { Icon } from "../icons";
import { useLanguage } from "../language";
import type { Crumb } from "./crumbs";
import { FoldedCrumbs } from "./folded-crumbs";
import { useFolding } from "./use-folding";
import type { Navigation } from "./use-navigation";

/** The way down from the root of what may be seen. The open folder is always there whole; what has no room is folded into a menu, the middle first. */
export function Breadcrumbs({ crumbs, open }: Navigation) {
  const { t } = useLanguage();
  const line = useRef<HTMLOListElement>(null);
  const here = crumbs.at(-1);
  const above = crumbs.slice(0, -1);
  const folded = useFolding(line, here?.path ?? "", above.length);
  const showsRoot = folded < above.length;
  const middle = above.slice(showsRoot ? 1 : 0, showsRoot ? folded + 1 : folded);
  const rest = above.slice(showsRoot ? folded + 1 : folded);
  const link = ({ name, path }: Crumb) => (
    <li key={path}>
      <button
        type="button"
        className="crumb"
        title={name}
        dir="auto"
        data-path={path}
        onClick={() => open(path)}
      >
        {name}
      </button>
      <Icon name="chevron" />
    </li>
  );
  const parent = above.at(-1);
  return (
    <nav className="crumbs" aria-label={t("breadcrumbs")}>
      {parent && (
        <IconButton
          icon="arrow"
          className="crumbs__up needs-script"
          label={t("up")}
          onClick={() => open(parent.path)}
        />
      )}
      <ol ref={line}>
        {above.slice(0, showsRoot ? 1 : 0).map(link)}
        {middle.length > 0 && (
          <li key={here?.path}>
            <FoldedCrumbs crumbs={middle} open={open} />
            <Icon name="chevron" />
          </li>
        )}
        {rest.map(link)}
        <li>
          <h1 className="crumb crumb--here" aria-current="page" title={here?.name} dir="auto">
            {here?.name}
          </h1>
        </li>
      </ol>
    </nav>
  );
}
