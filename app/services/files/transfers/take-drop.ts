/** What was dropped, as far as it must be looked at while the event lasts. */
export interface Drop {
  /** all of it, folders as well, which look like files here */
  files: File[];
  /** files and folders, but for those in `sureFiles` */
  entries: FileSystemEntry[];
  /** files that were taken for such by their type */
  sureFiles: File[];
}

/**
 * So many are asked about one by one. A browser takes some 0.2 ms for each to say whether it is a folder, and the screen stands still
 * meanwhile: of ten thousand photos it would for two seconds.
 */
const MOST_ASKED = 500;
/** No system has folders that look like these, unless a person named one `a.jpg`. */
const SURE_FILE = /^(image|video|audio|text)\//;

/** To be called while the drop event lasts: what it carries is gone afterwards. */
export function takeDrop(data: DataTransfer): Drop {
  const items = [...data.items];
  const isSure = ({ type }: DataTransferItem) => items.length > MOST_ASKED && SURE_FILE.test(type);
  const entries = items.filter((item) => !isSure(item)).map((item) => item.webkitGetAsEntry());
  const sureFiles = items.filter(isSure).map((item) => item.getAsFile());
  return { files: [...data.files], entries: entries.filter(isThere), sureFiles: sureFiles.filter(isThere) };
}

function isThere<Value>(value: Value | null): value is Value {
  return value !== null;
}
