import type { FilesClient } from "platform-embed-element/client";
import { useMemo, useState } from "react";
import { visibleText } from "../../../../locales/visible-text";
import { decodeText, type Encoding } from "../../browse/decode-text";
import { detectEncoding } from "../../browse/detect-encoding";
import { contentId } from "../../place/content-of";
import type { FileEntry } from "../../place/contract/storage-contract.server";
import { boundText, MAX_LINES } from "../../screen/bounded-text";
import { useLanguage } from "../../screen/language";
import { fetchBeginning } from "../fetch-object";
import { DownloadNote, PreviewBar, PreviewNote, PreviewProblem, PreviewWait } from "../preview-elements";
import { MAX_TEXT_BYTES, type TextForm } from "../preview-plan";
import { useLoaded } from "../use-loaded";
import { codeLanguage, directionOfFile } from "./code-language";
import { CodeView } from "./code-view";
import { EncodingSelect } from "./encoding-select";
import { JsonView, parseJson } from "./json-view";
import { MarkdownView, markdownInWorker } from "./markdown-view";
import { TableView } from "./table-view";
import { TextBlocks } from "./text-blocks";

interface TextFile {
  text: string;
  /** the file is longer */
  cut: boolean;
}

interface TextPreviewProps {
  file: FileEntry;
  /** how it is shown, besides as plain text */
  form: TextForm;
  client: FilesClient;
}

/** A text file: as a table, tree or page according to its name, or as plain text; with a choice of encodings where it is not certain. */
export function TextPreview({ file, form, client }: TextPreviewProps) {
  const { t } = useLanguage();
  const [chosen, choose] = useState<Encoding | null>(null);
  const [asWritten, setAsWritten] = useState(form === "plain");
  const [wrapped, setWrapped] = useState(true);
  const loaded = useLoaded(
    async (signal) => {
      const { bytes, cut } = await fetchBeginning(client, file, MAX_TEXT_BYTES, signal);
      return { bytes, cut, ...(await detectEncoding(bytes, signal)) };
    },
    [client, contentId(file), file.etag],
  );
  const read = loaded.state === "ready" ? loaded.value : null;
  const text = useMemo((): TextFile | null => {
    const encoding = chosen ?? read?.encoding ?? null;
    return read && encoding && { text: decodeText(read.bytes, read.cut, encoding), cut: read.cut };
  }, [read, chosen]);
  if (loaded.state === "failed") return <PreviewProblem name={file.name} problem={loaded.problem} />;
  if (read === null) return <PreviewWait />;
  const select = <EncodingSelect value={chosen ?? read.encoding} onChange={choose} />;
  if (text === null)
    return (
      <DownloadNote name={file.name} text={t("preview.binary")} role="alert">
        {select}
      </DownloadNote>
    );
  if (text.text === "")
    return (
      <PreviewNote name={file.name} text={t("look.empty")}>
        {!read.isCertain && select}
      </PreviewNote>
    );
  return (
    <div className="preview__text">
      <PreviewBar>
        {form !== "plain" && (
          <button
            type="button"
            className="button button--small"
            aria-pressed={asWritten}
            onClick={() => setAsWritten(!asWritten)}
          >
            {t("look.asWritten")}
          </button>
        )}
        {asWritten && (
          <button
            type="button"
            className="button button--small"
            aria-pressed={wrapped}
            onClick={() => setWrapped(!wrapped)}
          >
            {t("look.wrap")}
          </button>
        )}
        {!read.isCertain && select}
      </PreviewBar>
      {text.cut && <CutNote file={file} />}
      <Shown file={file} text={text} form={asWritten ? "plain" : form} wrapped={wrapped} />
    </div>
  );
}

function CutNote({ file }: { file: FileEntry }) {
  const { t, formats } = useLanguage();
  // A file smaller than its text is stored compressed: the full length is unknown.
  const size = file.size > MAX_TEXT_BYTES ? formats.size(file.size) : null;
  const shown = formats.size(MAX_TEXT_BYTES);
  return (
    <p className="preview__cut">
      {size === null ? t("preview.cut", { shown }) : t("preview.cutOf", { shown, all: size })}
    </p>
  );
}

interface ShownProps {
  file: FileEntry;
  text: TextFile;
  form: TextForm;
  wrapped: boolean;
}

function Shown({ file, text, form, wrapped }: ShownProps) {
  const plain = <PlainText name={file.name} text={text.text} wrapped={wrapped} />;
  switch (form) {
    case "table":
      return <TableView text={text.text} label={visibleText(file.name)} />;
    case "json":
      return <Json text={text} label={visibleText(file.name)} otherwise={plain} />;
    case "markdown":
      return <Markdown text={text.text} label={visibleText(file.name)} otherwise={plain} />;
    case "plain":
      return plain;
    default:
      return form satisfies never;
  }
}

interface FormProps<Text> {
  text: Text;
  label: string;
  /** shown if the text is not valid */
  otherwise: JSX.Element;
}

function Json({ text, label, otherwise }: FormProps<TextFile>) {
  const { t } = useLanguage();
  const value = useMemo(() => (text.cut ? null : parseJson(text.text)), [text]);
  if (value === null || typeof value === "string") {
    const reason = t(value === "too-deep" ? "look.tooInvolved" : "look.invalidJson");
    return (
      <>
        {value !== null && <p className="preview__cut">{reason}</p>}
        {otherwise}
      </>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section className="preview__scroll preview__json" tabIndex={0} aria-label={label}>
      <JsonView value={value} />
    </section>
  );
}

function Markdown({ text, label, otherwise }: FormProps<string>) {
  const { t } = useLanguage();
  const read = useLoaded((signal) => markdownInWorker(text, signal), [text]);
  if (read.state === "loading") return <PreviewWait />;
  if (read.state === "failed") return <PreviewProblem name={label} problem={read.problem} />;
  if (read.value === null) {
    return (
      <>
        <p className="preview__cut">{t("look.tooInvolved")}</p>
        {otherwise}
      </>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section className="preview__scroll" tabIndex={0} aria-label={label}>
      <MarkdownView nodes={read.value} />
    </section>
  );
}

function PlainText({ name, text, wrapped }: { name: string; text: string; wrapped: boolean }) {
  const { t } = useLanguage();
  const language = codeLanguage(name);
  const bounded = useMemo(() => boundText(text), [text]);
  return (
    <>
      {bounded.isCut && <p className="preview__cut">{t("look.linesCut", { lines: MAX_LINES })}</p>}
      {bounded.isChanged && <p className="preview__cut">{t("look.linesBroken")}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section className="preview__scroll" tabIndex={0} aria-label={visibleText(name)}>
        <pre className={wrapped ? undefined : "preview__unwrapped"} dir={directionOfFile(name, text)}>
          {language === null ? (
            <TextBlocks text={bounded.text} />
          ) : (
            <CodeView text={bounded.text} language={language} />
          )}
        </pre>
      </section>
    </>
  );
}
