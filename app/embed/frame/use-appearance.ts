import { useEffect, useState } from "react";
import type { FrameProps } from "./frame-props";
import type { HostPage } from "./host-page";

/**
 * Theme and language as the page rendered them, or as the page around the frame has set them since. Both become
 * attributes of the document.
 * @returns the language, a BCP 47 tag
 */
export function useAppearance(host: HostPage, { theme, locale }: FrameProps): string {
  const [appearance, setAppearance] = useState({ theme, locale });

  useEffect(
    () =>
      host.listen((message) => {
        if (message.type !== "platform.embed.configure") return;
        const { theme, locale } = message;
        setAppearance((before) => ({ theme: theme ?? before.theme, locale: locale ?? before.locale }));
      }),
    [host],
  );

  useEffect(() => {
    document.documentElement.dataset.theme = appearance.theme;
    document.documentElement.lang = appearance.locale;
  }, [appearance]);

  return appearance.locale;
}
