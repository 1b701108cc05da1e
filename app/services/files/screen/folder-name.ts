import { nameOf } from "platform-embed-element/client";
import { createContext, useCallback, useContext } from "react";
import type { ExplorerProps } from "../place/props";
import { useLanguage, useVisibleName } from "./language";

/** The highest folder that may be browsed, and what the integrator calls it. */
export const TopFolderContext = createContext<Pick<ExplorerProps, "rootPath" | "title">>({
  rootPath: "/",
  title: null,
});

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
