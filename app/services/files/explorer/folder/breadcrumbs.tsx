import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { joinPath, nameOf } from "../../folder-path";
import { Icon, IconButton } from "../icons";
import { useLanguage } from "../language";
import { useLayoutEffectInBrowser } from "../use-layout-effect-in-browser";

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

/** A menu of the folders that do not fit. */
function FoldedCrumbs({ crumbs, open }: BreadcrumbsProps) {
  const { t } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const items = () => [...(menu.current?.querySelectorAll("button") ?? [])];

  useEffect(() => {
    if (isOpen) menu.current?.querySelector("button")?.focus();
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const targets: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const target = targets[event.key];
    if (target !== undefined) all.at(target % all.length)?.focus();
    else if (event.key === "Escape") {
      setOpen(false);
      button.current?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className="crumb crumb--folded"
        aria-label={t("foldedFolders")}
        title={t("foldedFolders")}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        …
      </button>
      {isOpen && (
        <div
          ref={menu}
          role="menu"
          className="crumbs__menu"
          aria-label={t("foldedFolders")}
          onKeyDown={onKeyDown}
          onBlur={({ relatedTarget }) => {
            if (relatedTarget !== button.current && !menu.current?.contains(relatedTarget)) setOpen(false);
          }}
        >
          {crumbs.map(({ name, path }) => (
            <button key={path} type="button" role="menuitem" tabIndex={-1} onClick={() => open(path)}>
              <bdi>{name}</bdi>
            </button>
          ))}
        </div>
      )}
    </>
  );
}

/**
 * How many crumbs to fold, the root last: one more in each rendering until the open folder, the last child of `line`, fits.
 * @param above number of crumbs above the open folder
 */
function useFolding(line: RefObject<HTMLElement>, path: string, above: number): number {
  const [folding, setFolding] = useState({ path, folded: 0, width: 0 });
  const folded = folding.path === path ? Math.min(folding.folded, above) : 0;

  useLayoutEffectInBrowser(() => {
    const here = line.current?.querySelector("h1");
    if (!line.current || !here || folded === above) return;
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

/** The crumbs from `rootPath` to `path`. `rootName` names the root of the bucket. */
export function breadcrumbs(path: string, rootPath: string, rootName: string): Crumb[] {
  const crumbs = [{ name: rootPath === "/" ? rootName : nameOf(rootPath), path: rootPath }];
  let at = rootPath;
  for (const name of path.slice(rootPath === "/" ? 1 : rootPath.length + 1).split("/")) {
    if (name === "") continue;
    at = joinPath(at, name);
    crumbs.push({ name, path: at });
  }
  return crumbs;
}
