import { useCallback } from "react";
import { fileKind } from "./file-kind";
import { useLanguage } from "./language";

/** What a file of that name is called in the column of types. */
export function useTypeOf(): (name: string) => string {
  const { t } = useLanguage();
  return useCallback(
    (name) => {
      const kind = fileKind(name);
      return t(kind === "other" ? "kinds.file" : `kinds.${kind}`);
    },
    [t],
  );
}
