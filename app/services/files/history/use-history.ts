import { now } from "platform-embed-element/client";
import { useState } from "react";
import type { Navigation } from "../browse/folder/use-navigation";
import type { ExplorerProps } from "../place/props";
import type { Point } from "../screen/menu";

export type History = NonNullable<ReturnType<typeof useHistory>>;

/** The ways into the past of the open folder and out of it. Null if the bucket keeps nothing, or if the token may not see it. */
export function useHistory(
  { actions }: Pick<ExplorerProps, "actions">,
  { openTime }: Pick<Navigation, "openTime">,
) {
  const [isChoosing, setChoosing] = useState(false);
  /** where the menu is open */
  const [menuAt, setMenuAt] = useState<Point | null>(null);
  if (!actions.includes("history")) return null;
  return {
    showDeleted: () => openTime({ kind: "deleted" }),
    showNow: () => openTime(now),
    showMoment(moment: string) {
      setChoosing(false);
      openTime({ kind: "at", moment });
    },
    /** the dialog in which a moment is chosen is open */
    isChoosing,
    chooseMoment: () => setChoosing(true),
    closeDialog: () => setChoosing(false),
    menuAt,
    openMenu: setMenuAt,
    closeMenu: () => setMenuAt(null),
  };
}
