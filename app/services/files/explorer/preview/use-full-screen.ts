import { type RefObject, useEffect, useState } from "react";

export interface FullScreen {
  /** the preview takes all the place that it can get */
  fills: boolean;
  toggle(): void;
}

/**
 * The whole screen where the page around allows its frame that, else the whole frame.
 * @param screen what fills it: not the dialog itself, which browsers do not put on the whole screen
 */
export function useFullScreen(screen: RefObject<HTMLElement>): FullScreen {
  const [fills, setFills] = useState(false);
  useEffect(() => {
    // It can be left without us: by Escape, or by a gesture.
    const onChange = () => setFills(document.fullscreenElement !== null);
    document.addEventListener("fullscreenchange", onChange);
    return () => {
      document.removeEventListener("fullscreenchange", onChange);
      if (document.fullscreenElement) void document.exitFullscreen();
    };
  }, []);
  const toggle = () => {
    setFills(!fills);
    if (document.fullscreenElement) void document.exitFullscreen();
    else if (!fills && document.fullscreenEnabled) void screen.current?.requestFullscreen().catch(() => {});
  };
  return { fills, toggle };
}
