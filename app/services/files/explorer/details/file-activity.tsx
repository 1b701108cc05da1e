import { useCallback, useEffect, useState } from "react";
import { fetchLanguage } from "../../../../embed/frame/use-appearance";
import { ActivityList } from "../../../../events/activity/activity-list";
import { LanguageContext, useLanguage, useLanguageOf } from "../../../../events/activity/language";
import { type LoadEvents, useEvents } from "../../../../events/activity/use-events";
import type { PageLanguage } from "../../../../locales/languages.server";
import { prefixOf } from "../../folder-path";
import type { StorageClient } from "../../storage-client";
import type { Row } from "../folder/folder-state";
import { useLanguage as useExplorerLanguage } from "../language";
import { Failure } from "./failure";

interface FileActivityProps {
  row: Row;
  /** the highest folder that may be browsed */
  rootPath: string;
  client: StorageClient;
}

/** What happened to a file, or in a folder, with its own section of sentences, which is fetched first. */
export default function FileActivity(props: FileActivityProps) {
  const { t } = useExplorerLanguage();
  const [language, setLanguage] = useState<PageLanguage | "loading" | "failed">("loading");
  const locale = document.documentElement.lang;
  useEffect(() => {
    if (language !== "loading") return;
    let isMounted = true;
    fetchLanguage("activity", locale)
      .catch(() => null)
      .then((fetched) => isMounted && setLanguage(fetched ?? "failed"));
    return () => {
      isMounted = false;
    };
  }, [language, locale]);
  if (language === "loading") return <p className="file-activity">{t("loading")}</p>;
  if (language === "failed")
    return <Failure text={t("partNotLoaded")} retry={t("retry")} onRetry={() => setLanguage("loading")} />;
  return <InLanguage language={language} {...props} />;
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
      return client.call("activity", { ...subject, cursor, limit: PAGE_SIZE }, signal);
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
        level={4}
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
