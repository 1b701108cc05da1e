/** The colours of one rendering. Text and its background always have the contrast of WCAG AA. */
export interface Palette {
  /** around the card */
  background: string;
  card: string;
  /** the card's edge, and rules in it */
  line: string;
  /** the bar on top of the card */
  primary: string;
  /** headings and the site's name */
  secondary: string;
  text: string;
  muted: string;
  /** links, buttons, badges: a deeper shade of the primary, or a paler one in the dark */
  accent: string;
  onAccent: string;
}

export interface Theme {
  light: Palette;
  dark: Palette;
}

export const themeNames = ["blue", "red", "black", "stone"] as const;
export type ThemeName = (typeof themeNames)[number];

const white = "#ffffff";

/**
 * `primary`, `secondary` and `background` of each light palette are promised (docs/contract.md#email). White on the blue or the red
 * has less contrast than AA, so no text stands on a primary: the accent is for that.
 */
export const themes: Record<ThemeName, Theme> = {
  blue: {
    light: {
      background: "#f6f9fc",
      card: white,
      line: "#dbe3ee",
      primary: "#3b82f6",
      secondary: "#1f2937",
      text: "#374151",
      muted: "#556070",
      accent: "#1d4ed8",
      onAccent: white,
    },
    dark: {
      background: "#0b1220",
      card: "#141d2e",
      line: "#2a3750",
      primary: "#3b82f6",
      secondary: "#f1f5f9",
      text: "#d5dce7",
      muted: "#9fabbd",
      accent: "#93c0fd",
      onAccent: "#141d2e",
    },
  },
  red: {
    light: {
      background: "#fef2f2",
      card: white,
      line: "#e8e1e1",
      primary: "#ef4444",
      secondary: "#991b1b",
      text: "#3b3737",
      muted: "#675f5f",
      accent: "#b91c1c",
      onAccent: white,
    },
    dark: {
      background: "#131011",
      card: "#1d191a",
      line: "#3a3334",
      primary: "#ef4444",
      secondary: "#f6eded",
      text: "#e0dada",
      muted: "#b0a5a6",
      accent: "#fca5a5",
      onAccent: "#1d191a",
    },
  },
  black: {
    light: {
      background: "#f9fafb",
      card: white,
      line: "#e2e4e8",
      primary: "#000000",
      secondary: "#1f2937",
      text: "#30363f",
      muted: "#5b6470",
      accent: "#000000",
      onAccent: white,
    },
    dark: {
      background: "#0a0a0b",
      card: "#161618",
      line: "#323236",
      primary: "#3f3f46",
      secondary: "#fafafa",
      text: "#dadadd",
      muted: "#a3a3aa",
      accent: "#fafafa",
      onAccent: "#161618",
    },
  },
  stone: {
    light: {
      background: "#fafaf9",
      card: white,
      line: "#e5e2df",
      primary: "#78716c",
      secondary: "#44403c",
      text: "#443f3b",
      muted: "#69625c",
      accent: "#57493c",
      onAccent: white,
    },
    dark: {
      background: "#131110",
      card: "#1e1b19",
      line: "#3a3531",
      primary: "#a8a29e",
      secondary: "#f3f1ee",
      text: "#ddd8d3",
      muted: "#a9a29b",
      accent: "#e7d9c8",
      onAccent: "#1e1b19",
    },
  },
};
