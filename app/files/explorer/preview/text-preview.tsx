import type { FileEntry } from "../../listing";
import { useLanguage } from "../language";
import type { StorageClient } from "../storage-client";
import { fetchObject } from "./fetch-object";
import { PreviewNote, PreviewProblem, PreviewWait } from "./preview-note";
import { TEXT_LIMIT } from "./preview-plan";
import { decodeText } from "./read-text";
import { useLoaded } from "./use-loaded";

export function TextPreview({ file, client }: { file: FileEntry; client: StorageClient }) {
  const { copy, formats } = useLanguage();
  const cut = file.size > TEXT_LIMIT;
  const content = useLoaded(
    async (signal) => decodeText(await fetchObject(client, file.key, cut ? TEXT_LIMIT : null, signal), cut),
    [client, file.key, file.etag, cut],
  );
  if (content.state === "loading") return <PreviewWait />;
  if (content.state === "failed") return <PreviewProblem name={file.name} problem={content.problem} />;
  if (content.value === null) return <PreviewNote name={file.name} text={copy.preview.binary} />;
  return (
    <div className="preview__text">
      {cut && (
        <p className="preview__cut">{copy.preview.cut(formats.size(TEXT_LIMIT), formats.size(file.size))}</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section className="preview__scroll" tabIndex={0} aria-label={file.name}>
        <pre>{content.value.text}</pre>
      </section>
    </div>
  );
}
