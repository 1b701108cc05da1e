import { useEffect, useState } from "react";

export type View = "list" | "tiles";

const PLACE = "platform-embed-view";

/** How a person wants to see folders, remembered where the browser lets a frame remember anything. The server renders the list. */
export function useView(): [View, (view: View) => void] {
  const [view, setView] = useState<View>("list");
  useEffect(() => {
    try {
      if (localStorage.getItem(PLACE) === "tiles") setView("tiles");
    } catch {}
  }, []);
  const choose = (chosen: View) => {
    setView(chosen);
    try {
      localStorage.setItem(PLACE, chosen);
    } catch {}
  };
  return [view, choose];
}
