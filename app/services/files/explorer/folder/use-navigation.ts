import { useEffect, useRef } from "react";
import type { HostPage } from "../../../../embed/frame/host-page";
import { isBelow } from "../../folder-path";
import { useLanguage } from "../language";
import { SERVICE } from "../props";
import { childTowards, lastSegment, parentFolder } from "./crumbs";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";

/** Going from folder to folder: where the focus goes, and who is told. */
export function useNavigation(
  host: HostPage,
  rootPath: string,
  folder: Folder,
  list: List,
  announce: (sentence: string) => void,
) {
  const { messages, formats } = useLanguage();
  const main = useRef<HTMLDivElement>(null);
  /** what has the focus once the folder being opened is there: a row's id, `true` for the first, false for none */
  const focus = useRef<string | boolean>(false);

  const open = (path: string) => {
    focus.current = isBelow(folder.path, path) ? childTowards(path, folder.path) : true;
    // The row that has the focus goes away.
    main.current?.focus({ preventScroll: true });
    list.setFilter("");
    list.selection.clear();
    folder.open(path);
    host.post({ type: "platform.embed.navigate", service: SERVICE, path });
  };

  const name = folder.path === "/" ? messages.root : lastSegment(folder.path);
  const items = messages.items(folder.rows.length, formats.number(folder.rows.length));
  useEffect(() => {
    if (!folder.listed || focus.current === false) return;
    focus.current = false;
    announce(messages.announcements.opened(name, items));
  }, [folder.listed, announce, messages, name, items]);

  const parent = parentFolder(folder.path, rootPath);
  return { main, name, focus: focus.current, open, openParent: parent === null ? null : () => open(parent) };
}
