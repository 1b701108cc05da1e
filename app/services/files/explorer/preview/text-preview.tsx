import type { StorageClient } from "../../storage-client";
import type { FileEntry } from "../../storage-contract.server";
import { useLanguage } from "../language";
import { fetchBeginning } from "./fetch-object";
import { PreviewNote, PreviewProblem, PreviewWait } from "./preview-note";
import { TEXT_LIMIT } from "./preview-plan";
import { decodeText } from "./read-text";
import { useLoaded } from "./use-loaded";

export function TextPreview({ file, client }: { file: FileEntry; client: StorageClient }) {
  const { t, formats } = useLanguage();
  const content = useLoaded(
    async (signal) => {
      const { bytes, cut } = await fetchBeginning(client, file.key, TEXT_LIMIT, signal);
      return decodeText(bytes, cut);
    },
    [client, file.key, file.etag],
  );
  if (content.state === "loading") return <PreviewWait />;
  if (content.state === "failed") return <PreviewProblem name={file.name} problem={content.problem} />;
  if (content.value === null) return <PreviewNote name={file.name} text={t("preview.binary")} />;
  // A file that is smaller than what it holds is stored compressed: its full size is unknown.
  const all = file.size > TEXT_LIMIT ? formats.size(file.size) : null;
  const shown = formats.size(TEXT_LIMIT);
  return (
    <div className="preview__text">
      {content.value.cut && (
        <p className="preview__cut">
          {all === null ? t("preview.cut", { shown }) : t("preview.cutOf", { shown, all })}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section className="preview__scroll" tabIndex={0} aria-label={file.name}>
        <pre>{content.value.text}</pre>
      </section>
    </div>
  );
}
