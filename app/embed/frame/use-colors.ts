import { useEffect, useState } from "react";
import type { EmbedAppearance } from "../../../embed-element/protocol";
import type { FrameProps } from "./frame-props";
import type { HostPage } from "./host-page";

/**
 * Theme and appearance as the page rendered them, or as the page around the frame has set them since. A background decides
 * whether the page is light or dark, unless the theme does. What computes colours is loaded when there are other ones to compute.
 */
export function useColors(host: HostPage, { theme, appearance }: FrameProps): void {
  const [colors, setColors] = useState({ theme, scheme: appearance.scheme });

  useEffect(() => {
    let wanted = describe(appearance.given);
    return host.listen((message) => {
      if (message.type !== "platform.embed.configure") return;
      const { theme, appearance } = message;
      if (theme) setColors((before) => ({ ...before, theme }));
      const asked = appearance ? describe(appearance) : wanted;
      if (!appearance || asked === wanted) return;
      wanted = asked;
      import("../appearance/apply-appearance").then(
        ({ applyAppearance }) => {
          if (wanted !== asked) return;
          const scheme = applyAppearance(appearance);
          setColors((before) => ({ ...before, scheme }));
        },
        // The page stays as it is, and is asked again by the next message.
        () => {
          wanted = "";
        },
      );
    });
  }, [host, appearance]);

  useEffect(() => {
    const { theme, scheme } = colors;
    document.documentElement.dataset.theme = theme === "auto" && scheme ? scheme : theme;
  }, [colors]);
}

/** Equal for equal appearances, whatever else is in the objects. */
const describe = ({ accent, background, text, radius, font, density }: EmbedAppearance) =>
  [accent, background, text, radius, font, density].join("|");
