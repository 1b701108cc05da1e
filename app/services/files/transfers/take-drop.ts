/** What was dropped, as far as it must be looked at while the event lasts. */
export interface Drop {
  files: File[];
  /** files and folders */
  entries: FileSystemEntry[];
}

/** To be called while the drop event lasts: what it carries is gone afterwards. */
export function takeDrop(data: DataTransfer): Drop {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  return { files: [...data.files], entries };
}
