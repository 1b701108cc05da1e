import type { FrameTexts } from "../../../embed-element/protocol";

/** characters; longer texts are cut */
const MAX_TITLE_LENGTH = 120;
const MAX_TEXT_LENGTH = 600;

/** The embedding page's own words, as the page shows them. Empty ones are left out. docs/contract.md#rendering */
export function readTexts(given: { [name in keyof FrameTexts]?: string | null | undefined }): FrameTexts {
  const handInTitle = cut(given.handInTitle, MAX_TITLE_LENGTH);
  const handInText = cut(given.handInText, MAX_TEXT_LENGTH);
  return { ...(handInTitle && { handInTitle }), ...(handInText && { handInText }) };
}

function cut(text: string | null | undefined, maxLength: number): string {
  return [...(text ?? "").trim()].slice(0, maxLength).join("").trim();
}
