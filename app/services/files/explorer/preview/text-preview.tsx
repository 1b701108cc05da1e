import type { StorageClient } from "../../storage-client";
import type { FileEntry } from "../../storage-contract.server";
import { useLanguage } from "../language";
import { fetchBeginning } from "./fetch-object";
import { PreviewNote, PreviewProblem, PreviewWait } from "./preview-note";
import { TEXT_LIMIT } from "./preview-plan";
import { decodeText } from "./read-text";
import { useLoaded } from "./use-loaded";

export function TextPreview({ file, client }: { file: FileEntry; client: StorageClient }) {
  const { messages, formats } = useLanguage();
  const content = useLoaded(
    async (signal) => {
      const { bytes, cut } = await fetchBeginning(client, file.key, TEXT_LIMIT, signal);
      return decodeText(bytes, cut);
    },
    [client, file.key, file.etag],
  );
  if (content.state === "loading") return <PreviewWait />;
  if (content.state === "failed") return <PreviewProblem name={file.name} problem={content.problem} />;
  if (content.value === null) return <PreviewNote name={file.name} text={messages.preview.binary} />;
  // A file that is smaller than what it holds is stored compressed: its full size is unknown.
  const size = file.size > TEXT_LIMIT ? formats.size(file.size) : null;
  return (
    <div className="preview__text">
      {content.value.cut && (
        <p className="preview__cut">{messages.preview.cut(formats.size(TEXT_LIMIT), size)}</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section className="preview__scroll" tabIndex={0} aria-label={file.name}>
        <pre>{content.value.text}</pre>
      </section>
    </div>
  );
}
