import { Icon } from "../icons";
import { useLanguage } from "../language";
import { breadcrumbs } from "./crumbs";

interface BreadcrumbsProps {
  path: string;
  rootPath: string;
  onOpen(path: string): void;
}

/** The way down from the root of what may be seen. A long one folds its middle away on narrow screens. */
export function Breadcrumbs({ path, rootPath, onOpen }: BreadcrumbsProps) {
  const { copy } = useLanguage();
  const crumbs = breadcrumbs(path, rootPath, copy.root);
  const here = crumbs.length - 1;
  const above = crumbs[here - 1];
  return (
    <nav className="crumbs" aria-label={copy.breadcrumbs}>
      {above && (
        <button
          type="button"
          className="icon-button crumbs__up needs-script"
          aria-label={copy.up}
          title={copy.up}
          onClick={() => onOpen(above.path)}
        >
          <Icon sign="arrow" />
        </button>
      )}
      <ol>
        {crumbs.map(({ name, path: target }, index) => (
          <li key={target}>
            {index === here ? (
              <h1 className="crumb crumb--here" aria-current="page" title={name}>
                {name}
              </h1>
            ) : (
              <button type="button" className="crumb" title={name} onClick={() => onOpen(target)}>
                {name}
              </button>
            )}
            {index < here && <Icon sign="chevron" />}
          </li>
        ))}
      </ol>
    </nav>
  );
}
