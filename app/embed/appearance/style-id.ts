/** The style element that the server renders for the appearance in the page's address. */
export const STYLE_ID = "embed-appearance";
