import { isBelow, parentOf } from "platform-embed-element/client";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { Icon, IconButton } from "../../../../embed/components/icons";
import { visibleText } from "../../../../locales/visible-text";
import { useLanguage } from "../../screen/language";
import { Menu, type Point, pointBelow } from "../../screen/menu";
import { useLayoutEffectInBrowser } from "../../screen/use-layout-effect-in-browser";

interface BreadcrumbsProps {
  crumbs: Crumb[];
  open(path: string): void;
}

/** The path from the root to the open folder. If there is not enough room, folders in the middle are folded into a menu. */
export function Breadcrumbs({ crumbs, open }: BreadcrumbsProps) {
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
        title={visibleText(name)}
        dir="auto"
        data-path={path}
        onClick={() => open(path)}
      >
        {visibleText(name)}
      </button>
      <Icon name="chevron" />
    </li>
  );
  const parent = above.at(-1);
  const hereName = visibleText(here?.name ?? "");
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
          <li key={here?.path} className={folded > above.length ? "crumbs__spare" : undefined}>
            <FoldedCrumbs crumbs={middle} open={open} />
            <Icon name="chevron" />
          </li>
        )}
        {rest.map(link)}
        <li>
          <h1 className="crumb crumb--here" aria-current="page" title={hereName} dir="auto">
            {hereName}
          </h1>
        </li>
      </ol>
    </nav>
  );
}

/** A menu of the folders that do not fit. */
function FoldedCrumbs({ crumbs, open }: BreadcrumbsProps) {
  const { t } = useLanguage();
  const [menuAt, setMenuAt] = useState<Point | null>(null);
  const close = useCallback(() => setMenuAt(null), []);
  return (
    <>
      <button
        type="button"
        className="crumb crumb--folded"
        aria-label={t("foldedFolders")}
        title={t("foldedFolders")}
        aria-haspopup="menu"
        aria-expanded={menuAt !== null}
        onClick={({ currentTarget }) => setMenuAt(pointBelow(currentTarget))}
      >
        …
      </button>
      {menuAt && (
        <Menu
          label={t("foldedFolders")}
          entries={crumbs.map(({ name, path }) => ({
            name: visibleText(name),
            icon: "folder",
            run: () => open(path),
          }))}
          at={menuAt}
          onClose={close}
        />
      )}
    </>
  );
}

/**
 * The number of crumbs to fold; the root is folded last. The number grows by one in each rendering until the open folder, the last child of
 * `line`, fits. `above + 1` means that even the menu button does not fit.
 * @param above number of crumbs above the open folder
 */
function useFolding(line: RefObject<HTMLElement>, path: string, above: number): number {
  const [folding, setFolding] = useState({ path, folded: 0, width: 0 });
  const most = above === 0 ? 0 : above + 1;
  const folded = folding.path === path ? Math.min(folding.folded, most) : 0;

  useLayoutEffectInBrowser(() => {
    const here = line.current?.querySelector("h1");
    if (!line.current || !here || folded === most) return;
    const isCut = line.current.scrollWidth > line.current.clientWidth || here.scrollWidth > here.clientWidth;
    if (isCut) setFolding(({ width }) => ({ path, folded: folded + 1, width }));
  });

  useEffect(() => {
    if (!line.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.round(entry?.contentRect.width ?? 0);
      setFolding((before) => (before.width === width ? before : { ...before, folded: 0, width }));
    });
    observer.observe(line.current);
    return () => observer.disconnect();
  }, [line]);

  return folded;
}

interface Crumb {
  name: string;
  path: string;
}

/** The crumbs from `rootPath` to `path`, with the names that are shown. */
export function breadcrumbs(path: string, rootPath: string, folderName: (path: string) => string): Crumb[] {
  return wayTo(path, rootPath).map((at) => ({ path: at, name: folderName(at) }));
}

/** The folders from `root` to `path`, both included; only `root` if `path` is not below it. */
export function wayTo(path: string, root: string): string[] {
  const below: string[] = [];
  for (let at = path; isBelow(at, root); at = parentOf(at)) below.unshift(at);
  return [root, ...below];
}
