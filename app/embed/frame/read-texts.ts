import type { FrameTexts } from "../../../embed-element/protocol";

/** characters; longer texts are cut */
const MAX_TITLE_LENGTH = 120;
const MAX_TEXT_LENGTH = 600;

/** The embedding page's own words, as the page shows them. Empty ones are left out. docs/contract.md#rendering */
export function readTexts(given: { [name in keyof FrameTexts]?: string | null | undefined }): FrameTexts {
  const dropTitle = cut(given.dropTitle, MAX_TITLE_LENGTH);
  const dropText = cut(given.dropText, MAX_TEXT_LENGTH);
  return { ...(dropTitle && { dropTitle }), ...(dropText && { dropText }) };
}

function cut(text: string | null | undefined, maxLength: number): string {
  return [...(text ?? "").trim()].slice(0, maxLength).join("").trim();
}
