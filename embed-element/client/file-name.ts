/**
 * The rule for the names of files and folders that we create: what is wrong with `name`, as the end of a sentence ("must …"); null when it is
 * valid. Engine, screen and server all use it. How long a name may be depends on its folder (`MAX_PATH_BYTES`).
 */
export function issueOfFileName(name: string): string | null {
  if (name === "") return "must not have an empty segment, nor end with /";
  if (name === "." || name === "..") return "must not have . or .. as a segment";
  if (name.includes("/")) return "must not contain /";
  if (name.includes("\\")) return "must not contain a backslash";
  // Unicode category Cc: C0, DEL and C1.
  if (/\p{Cc}/u.test(name)) return "must not contain control characters";
  // Half a surrogate pair has no UTF-8 form: two such names would become the same key.
  if (/\p{Cs}/u.test(name)) return "must be well-formed Unicode";
  return null;
}
