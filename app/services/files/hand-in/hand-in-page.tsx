import { isActive } from "platform-embed-element/client";
import { type RefObject, useEffect, useRef, useState } from "react";
import { Icon, IconSheet } from "../../../embed/components/icons";
import { readTexts } from "../../../embed/frame/read-texts";
import { useServicePage } from "../../../embed/frame/use-service-page";
import type { FrameSession } from "../../../embed/frame/use-session";
import { fileSymbols } from "../browse/file-symbols.server";
import { SERVICE } from "../place/props";
import { LanguageContext, useLanguage, useLanguageOf } from "../screen/language";
import { DevelopmentContext } from "../screen/problem-details";
import { ClosedState, PauseState } from "../screen/states";
import { useUnloadWarning } from "../screen/use-unload-warning";
import {
  chosenFiles,
  droppedFiles,
  type IncomingFiles,
  takeBatches,
  takeDrop,
  type UploadNotice,
} from "../uploads/dropped-files";
import { useFileDrop } from "../uploads/use-file-drop";
import { HandInList } from "./hand-in-list";
import type { HandInProps } from "./hand-in-view.server";
import { HandInZone } from "./hand-in-zone";
import { Thanks } from "./thanks";
import { type HandInFile, type HandInVisit, useHandIn } from "./use-hand-in";

/** The page for handing files in. It shows what this visit has sent, and nothing else. */
export function HandInPage(props: HandInProps) {
  const { root, frame, pageLanguage } = useServicePage(SERVICE, props, { contentHeight, hasOwnTitle: true });
  const language = useLanguageOf(pageLanguage);
  return (
    <LanguageContext.Provider value={language}>
      <DevelopmentContext.Provider value={props.development}>
        <Screen {...props} frame={frame} root={root} />
      </DevelopmentContext.Provider>
    </LanguageContext.Provider>
  );
}

type ScreenProps = HandInProps & { frame: FrameSession; root: RefObject<HTMLDivElement> };

function Screen({ frame, root, ...props }: ScreenProps) {
  const { t } = useLanguage();
  const { handInTitle: title = props.title ?? t("handIn.title"), handInText: text = t("handIn.text") } =
    useTexts(frame, props);
  const [announcement, announce] = useState("");
  const [notice, setNotice] = useState<{ sentence: UploadNotice; count: number } | null>(null);
  const [isFinished, setFinished] = useState(false);
  const handIn = useHandIn(props, frame, announce);
  const heading = useRef<HTMLHeadingElement>(null);
  const { rows, sent } = handIn;
  useUnloadWarning(handIn.isLoading || rows.some(isUnfinished));
  useEffect(() => {
    document.title = title;
  }, [title]);

  const add = async (batches: IncomingFiles) => {
    setNotice(null);
    await takeBatches(withoutFolders(batches), handIn.add, (sentence, count) =>
      setNotice({ sentence, count }),
    );
  };
  const { folderPath, limits } = props;
  const drop = useFileDrop(frame.isReady && frame.isOpen && !isFinished, (data) => {
    void add(droppedFiles(takeDrop(data), folderPath));
  });

  const { isOpen } = frame;
  return (
    <div ref={root} className={`service-page hand-in${drop.over ? " hand-in--over" : ""}`} {...drop.handlers}>
      <IconSheet own={fileSymbols} />
      {!isOpen && <ClosedState state={frame.state} session={frame.session} />}
      {isOpen && isFinished && (
        <Thanks
          sent={sent}
          unsent={rows.length - sent.length}
          onMore={() => {
            setFinished(false);
            // The button that had the focus is gone.
            requestAnimationFrame(() => heading.current?.focus());
          }}
        />
      )}
      {isOpen && !isFinished && (
        // Disables every button in it: they do nothing before the scripts have loaded.
        <fieldset className="service-page__controls" disabled={!frame.isReady}>
          <main className="hand-in__main" aria-label={title}>
            <div className="hand-in__column">
              <header className="hand-in__head">
                <h1 ref={heading} tabIndex={-1}>
                  {title}
                </h1>
                <p className="hand-in__text">{text}</p>
              </header>
              <noscript>
                <p className="hand-in__notice">{t("withoutScript")}</p>
              </noscript>
              <HandInZone
                limits={limits}
                hasFiles={rows.length > 0}
                onChoose={(files) => add(chosenFiles(files, folderPath))}
              />
              {notice && (
                <p className="hand-in__notice" role="alert">
                  <Icon name="warning" />
                  <span>{t(`uploads.${notice.sentence}`, { count: notice.count })}</span>
                </p>
              )}
              {handIn.isLoading && <p className="renewing">{t("loading")}</p>}
              {rows.length > 0 && <HandInList handIn={handIn} scope={props} fallback={heading} />}
            </div>
            <PauseState state={frame.state} session={frame.session} />
          </main>
          {rows.length > 0 && (
            <Foot
              rows={rows}
              sent={sent}
              onDone={() => {
                handIn.finish();
                setFinished(true);
              }}
            />
          )}
        </fieldset>
      )}
      <p className="visually-hidden" role="status" aria-live="polite">
        {isOpen && announcement}
      </p>
    </div>
  );
}

/** Neither sent nor given up. Nothing of it is remembered when the page is left. */
const isUnfinished = ({ upload }: HandInFile) => isActive(upload) || upload.status === "paused";

/** Empty folders are nothing to hand in. */
async function* withoutFolders(batches: IncomingFiles): IncomingFiles {
  for await (const files of batches) {
    const left = files.filter(({ file }) => file !== null);
    if (left.length > 0) yield left;
  }
}

/** How far the visit is, and the button that ends it. */
function Foot({ rows, sent, onDone }: Pick<HandInVisit, "rows" | "sent"> & { onDone(): void }) {
  const { t } = useLanguage();
  const left = rows.filter(isUnfinished).length;
  const stuck = rows.length - sent.length - left;
  const isBusy = left > 0 || rows.some(({ takingBack }) => takingBack === "running");
  const words = () => {
    if (left > 0) return t("uploads.title", { count: sent.length + left, done: sent.length });
    return stuck > 0 ? t("handIn.unsent", { count: stuck }) : t("handIn.sent", { count: sent.length });
  };
  return (
    <footer className="hand-in__foot">
      <div className="hand-in__column">
        <p className={stuck > 0 && left === 0 ? "hand-in__sum hand-in__sum--stuck" : "hand-in__sum"}>
          {words()}
        </p>
        <button
          type="button"
          className="button button--primary hand-in__done"
          disabled={isBusy || sent.length === 0}
          onClick={onDone}
        >
          {t("handIn.done")}
        </button>
      </div>
    </footer>
  );
}

/** The embedding page's own words, first as rendered, then as it sends them. */
function useTexts({ embeddingPage }: FrameSession, props: HandInProps) {
  const [texts, setTexts] = useState(props.texts);
  useEffect(
    () =>
      embeddingPage.listen((message) => {
        if (message.type === "platform.embed.configure" && message.texts !== undefined)
          setTexts(readTexts(message.texts ?? {}));
      }),
    [embeddingPage],
  );
  return texts;
}

/** The height at which the page shows everything without scrolling, CSS pixels. */
function contentHeight(page: HTMLElement): number {
  const heightOf = (selector: string) => page.querySelector<HTMLElement>(selector)?.scrollHeight ?? 0;
  return (
    heightOf(".hand-in__main > .hand-in__column") + heightOf(".hand-in__foot") + heightOf(".embed-state")
  );
}
