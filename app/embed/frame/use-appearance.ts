import { useEffect, useState } from "react";
import type { PageLanguage } from "../../locales/languages.server";
import type { FrameProps } from "./frame-props";
import type { HostPage } from "./host-page";
import { useColors } from "./use-colors";

/**
 * Theme, colours and language as the page rendered them, or as the page around the frame has set them since. They become attributes
 * and properties of the document.
 * @param service whose sentences are fetched when the language changes; until they are there, and where they cannot be had, the page stays as it is
 */
export function useAppearance(host: HostPage, service: string, props: FrameProps): PageLanguage {
  const [language, setLanguage] = useState(props.language);
  useColors(host, props);

  useEffect(() => {
    let { asked } = props.language;
    return host.listen(async (message) => {
      if (message.type !== "platform.embed.configure") return;
      const { locale } = message;
      if (!locale || locale === asked) return;
      const before = asked;
      asked = locale;
      const fetched = await fetchLanguage(service, locale).catch(() => null);
      // A later message may have asked for another one.
      if (asked !== locale) return;
      if (fetched) setLanguage(fetched);
      else asked = before;
    });
  }, [host, service, props.language]);

  useEffect(() => {
    const { documentElement } = document;
    documentElement.lang = language.locale;
    documentElement.dir = language.dir;
  }, [language]);

  return language;
}

async function fetchLanguage(service: string, locale: string): Promise<PageLanguage | null> {
  const response = await fetch(`/locales/${service}.${encodeURIComponent(locale)}.json`);
  return response.ok ? await response.json() : null;
}
