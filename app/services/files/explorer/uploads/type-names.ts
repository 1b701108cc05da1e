import type { Translate } from "../language";

/** File types in the words of people who have never seen a media type: `image/*` and `.pdf` are "images" and "PDF". */
export function typeNames(fileTypes: readonly string[], t: Translate): string[] {
  const names = fileTypes.map((type) => {
    const [group, subtype = ""] = type.toLowerCase().split("/");
    if (type.startsWith(".")) return type.slice(1).toUpperCase();
    if (subtype !== "*") return type.toLowerCase() === "application/pdf" ? "PDF" : type;
    return group === "image" || group === "video" || group === "audio" ? t(`uploads.types.${group}`) : type;
  });
  return [...new Set(names)];
}
