import { useEffect, useState } from "react";

type Layout = "list" | "tiles";

export type Look = ReturnType<typeof useLook>;

/** Browsers have stored choices under this key. */
const STORAGE_KEY = "platform-embed-view";

/** List or tiles, remembered where the browser allows a frame storage. The server always renders the list. */
export function useLook() {
  const [layout, setLayout] = useState<Layout>("list");
  useEffect(() => {
    try {
      if (localStorage.getItem(STORAGE_KEY) === "tiles") setLayout("tiles");
    } catch {}
  }, []);
  const choose = (chosen: Layout) => {
    setLayout(chosen);
    try {
      localStorage.setItem(STORAGE_KEY, chosen);
    } catch {}
  };
  return { layout, setLayout: choose };
}
