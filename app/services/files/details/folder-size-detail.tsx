import { useEffect, useRef, useState } from "react";
import type { SizesOfFolders } from "../browse/sizes/use-folder-sizes";
import { isOld } from "../screen/is-old";
import { useLanguage } from "../screen/language";

interface FolderSizeDetailProps {
  path: string;
  sizes: SizesOfFolders;
}

/** How large a folder is, and how many files are in it. If that takes longer than a list may wait, it is counted on demand. */
export function FolderSizeDetail({ path, sizes: { sizes, known } }: FolderSizeDetailProps) {
  const { t, formats } = useLanguage();
  const size = known.byPath.get(path);
  const [status, setStatus] = useState<"idle" | "counting" | "failed">("idle");
  const [isLive, setLive] = useState(false);
  const counting = useRef<AbortController | null>(null);
  const isKnown = size !== undefined;
  useEffect(() => (isKnown ? undefined : sizes.want({ path })), [sizes, path, isKnown]);
  useEffect(() => () => counting.current?.abort(), []);

  const count = async () => {
    if (status === "counting") return;
    const abort = new AbortController();
    counting.current = abort;
    // A screen reader hears what was counted, and not every folder that is looked at.
    setLive(true);
    setStatus("counting");
    const isCounted = await sizes.count(path, abort.signal).catch(() => false);
    if (!abort.signal.aborted) setStatus(isCounted ? "idle" : "failed");
  };

  return (
    <>
      <span role={isLive ? "status" : undefined}>
        {size && (
          <>
            {formats.size(size.bytes)}
            <span className="details__exact"> ({t("look.files", { count: size.files })})</span>
          </>
        )}
        {size === null && status === "failed" && <>{t("look.notCounted")} </>}
      </span>
      {size === undefined && t("loading")}
      {size === null && (
        <button type="button" className="link-button" aria-disabled={status === "counting"} onClick={count}>
          {t(status === "counting" ? "look.calculating" : "look.calculate")}
        </button>
      )}
      {size && <AsOf time={known.asOf} />}
    </>
  );
}

/** Since when something is known, if that is not now. */
function AsOf({ time }: { time: string | null }) {
  const { t, formats } = useLanguage();
  if (!isOld(time)) return null;
  return (
    <span className="details__as-of">
      <time dateTime={time}>{t("look.asOf", { when: formats.dateTime(time) })}</time>
    </span>
  );
}
