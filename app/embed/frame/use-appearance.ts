import { moduleLoader } from "platform-embed-element/client";
import { useEffect, useState } from "react";
import type { EmbedAppearance } from "../../../embed-element/protocol";
import type { PageLanguage } from "../../locales/languages.server";
import type { EmbeddingPage } from "./embedding-page-messages";
import type { FrameProps } from "./frame-props";

const loadAppearance = moduleLoader(() => import("../appearance/apply-appearance"));

/**
 * Theme, colours and language: first as rendered, then as the embedding page sets them. They become attributes and properties of the
 * document.
 * @param service the service whose translations are fetched when the language changes; until they arrive, the language stays
 */
export function useAppearance(
  embeddingPage: EmbeddingPage,
  service: string,
  props: FrameProps,
): PageLanguage {
  const [language, setLanguage] = useState(props.language);
  useColors(embeddingPage, props);

  useEffect(() => {
    let { asked } = props.language;
    return embeddingPage.listen(async (message) => {
      if (message.type !== "platform.embed.configure") return;
      const { locale } = message;
      if (!locale || locale === asked) return;
      const before = asked;
      asked = locale;
      const fetched = await fetchLanguage(service, locale).catch(() => null);
      // A later message asked for another language.
      if (asked !== locale) return;
      if (fetched) setLanguage(fetched);
      else asked = before;
    });
  }, [embeddingPage, service, props.language]);

  useEffect(() => {
    const { documentElement } = document;
    documentElement.lang = language.locale;
    documentElement.dir = language.dir;
  }, [language]);

  return language;
}

/**
 * A section of the sentences, in the language that suits a tag best. Null if the server does not send it.
 * @throws TypeError if the server cannot be reached
 */
export async function fetchLanguage(service: string, locale: string): Promise<PageLanguage | null> {
  const response = await fetch(`/locales/${service}.${encodeURIComponent(locale)}.json`);
  return response.ok ? await response.json() : null;
}

/**
 * Theme and colours: first as rendered, then as the embedding page sets them. With the theme `auto`, the background
 * decides between light and dark. The code that computes colours is loaded when they change.
 */
function useColors(embeddingPage: EmbeddingPage, { theme, appearance }: FrameProps): void {
  const [colors, setColors] = useState({ theme, scheme: appearance.scheme });

  useEffect(() => {
    let wanted = describe(appearance.given);
    return embeddingPage.listen((message) => {
      if (message.type !== "platform.embed.configure") return;
      const { theme, appearance } = message;
      if (theme) setColors((before) => ({ ...before, theme }));
      const asked = appearance ? describe(appearance) : wanted;
      if (!appearance || asked === wanted) return;
      wanted = asked;
      loadAppearance().then(
        ({ applyAppearance }) => {
          if (wanted !== asked) return;
          const scheme = applyAppearance(appearance);
          setColors((before) => ({ ...before, scheme }));
        },
        // Loading failed: the next message tries again.
        () => {
          wanted = "";
        },
      );
    });
  }, [embeddingPage, appearance]);

  useEffect(() => {
    const { theme, scheme } = colors;
    document.documentElement.dataset.theme = theme === "auto" && scheme ? scheme : theme;
  }, [colors]);
}

/** Equal for equal appearances. A page may send anything: not every object becomes a text. */
const describe = ({ accent, background, text, radius, font, density }: EmbedAppearance) =>
  [accent, background, text, radius, font, density]
    .map((value: unknown) => (typeof value === "object" ? null : value))
    .join("|");
