/** What the home page can show without a stack: the names of its pictures and recordings, and the colours in them. */
export const accents = { blue: "#2f5bea", green: "#0f766e", rose: "#be123c", amber: "#b45309" } as const;

export type PictureName = keyof typeof accents;
export type HomeTheme = "light" | "dark";

/** Paths from the root of the site. `npm run screenshots -- --readme --only home` takes them. */
export const stillOf = (name: PictureName, theme: HomeTheme) => `/home/${name}-${theme}.webp`;
export const recordingOf = (theme: HomeTheme) => `/home/recording-${theme}.webm`;
