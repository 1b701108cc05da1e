/** `report.pdf` into `report (1).pdf`, `report (1).pdf` into `report (2).pdf`; `.env` has no extension. */
export function numberedName(name: string): string {
  const dot = name.lastIndexOf(".");
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const extension = dot > 0 ? name.slice(dot) : "";
  const numbered = /^(.*) \((\d+)\)$/s.exec(stem);
  return numbered ? `${numbered[1]} (${Number(numbered[2]) + 1})${extension}` : `${stem} (1)${extension}`;
}
