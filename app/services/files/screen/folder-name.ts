import { nameOf } from "platform-embed-element/client";
import { createContext, useCallback, useContext } from "react";
import { useLanguage, useVisibleName } from "./language";

interface TopFolder {
  /** the highest folder that may be browsed */
  rootPath: string;
  /** what the integrator calls it; null: it is shown by its own name */
  title: string | null;
}

export const TopFolderContext = createContext<TopFolder>({ rootPath: "/", title: null });

/** The name of a folder as it is shown, by its path. */
export function useFolderName(): (path: string) => string {
  const { rootPath, title } = useContext(TopFolderContext);
  const { t } = useLanguage();
  const visibleName = useVisibleName();
  return useCallback(
    (path) => {
      if (path === rootPath && title !== null) return visibleName(title);
      return path === "/" ? t("root") : visibleName(nameOf(path));
    },
    [rootPath, title, t, visibleName],
  );
}
