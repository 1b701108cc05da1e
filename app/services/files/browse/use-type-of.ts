import { useCallback } from "react";
import { useLanguage } from "../screen/language";
import { fileKind } from "./file-kind";

/** Names the type of a file, as in the column of types. */
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
