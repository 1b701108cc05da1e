import { type FilesClient, prefixOf, type Row } from "platform-embed-element/client";
import { useCallback, useState } from "react";
import { fetchLanguage } from "../../../embed/frame/use-appearance";
import { ActivityList } from "../../../events/activity/activity-list";
import { LanguageContext, useLanguage, useLanguageOf } from "../../../events/activity/language";
import { type LoadEvents, useEvents } from "../../../events/activity/use-events";
import type { PageLanguage } from "../../../locales/languages.server";
import { useLoaded } from "../preview/use-loaded";
import { useLanguage as useExplorerLanguage } from "../screen/language";
import { Failure } from "./failure";

interface FileActivityProps {
  row: Row;
  /** the highest folder that may be browsed */
  rootPath: string;
  client: FilesClient;
}

/** The events of a file, or in a folder. Their sentences are another section of the locales, which is fetched first. */
export function FileActivity(props: FileActivityProps) {
  const { t } = useExplorerLanguage();
  const [attempt, setAttempt] = useState(1);
  const locale = document.documentElement.lang;
  const language = useLoaded(() => fetchLanguage("activity", locale), [locale, attempt]);
  if (language.state === "loading") return <p className="file-activity">{t("loading")}</p>;
  if (language.state === "failed" || language.value === null)
    return <Failure text={t("partNotLoaded")} retry={t("retry")} onRetry={() => setAttempt(attempt + 1)} />;
  return <InLanguage language={language.value} {...props} />;
}

function InLanguage({ language, ...props }: FileActivityProps & { language: PageLanguage }) {
  return (
    <LanguageContext.Provider value={useLanguageOf(language)}>
      <Activity {...props} />
    </LanguageContext.Provider>
  );
}

const PAGE_SIZE = 20;

function Activity({ row, rootPath, client }: FileActivityProps) {
  const { t } = useLanguage();
  const key = row.type === "file" ? row.key : undefined;
  const folderPath = row.type === "folder" ? row.path : undefined;
  const load: LoadEvents = useCallback(
    (cursor, signal) => {
      const subject = key === undefined ? { folderPath } : { key };
      return client.history.activity({ ...subject, cursor, limit: PAGE_SIZE }, signal);
    },
    [client, key, folderPath],
  );
  const { phase, events, newIds, cursor, isLoadingMore, reload, loadMore } = useEvents(load);
  if (phase === "loading") return <p className="file-activity">{t("loading")}</p>;
  if (phase === "failed")
    return <Failure text={t("states.unavailable.title")} retry={t("retry")} onRetry={reload} />;
  if (events.length === 0) return <p className="file-activity">{t("states.empty.title")}</p>;
  return (
    <div className="file-activity">
      <ActivityList
        events={events}
        newIds={newIds}
        rootPrefix={prefixOf(rootPath)}
        level={3}
        isOfOneFile={key !== undefined}
      />
      {cursor !== null && (
        <button
          type="button"
          className="button button--small"
          aria-disabled={isLoadingMore}
          onClick={loadMore}
        >
          {t(isLoadingMore ? "loading" : "more")}
        </button>
      )}
    </div>
  );
}
