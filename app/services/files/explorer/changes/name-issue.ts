import { byteLength, issueOfSegment, joinPath, MAX_PATH_BYTES } from "../../folder-path";

export type NameIssue = "nameMissing" | "nameSlash" | "nameBad" | "nameLong" | "nameTaken";

/** Why a file or folder in `folderPath` cannot be called so; null when it can, as far as is known here. */
export function issueOfName(
  name: string,
  folderPath: string,
  others: readonly { name: string }[],
): NameIssue | null {
  if (name === "") return "nameMissing";
  if (/[/\\]/.test(name)) return "nameSlash";
  if (issueOfSegment(name) !== null) return "nameBad";
  if (byteLength(joinPath(folderPath, name)) > MAX_PATH_BYTES) return "nameLong";
  return others.some((other) => other.name === name) ? "nameTaken" : null;
}
