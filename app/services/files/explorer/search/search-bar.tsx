import type { StorageClient } from "../../storage-client";
import { useLanguage } from "../language";
import { isSaid, ProblemDetails, problemText } from "../problem-details";
import { type FoundPage, useSearch } from "./use-search";

export interface SearchBarProps {
  client: StorageClient;
  folderPath: string;
  text: string;
  /** raised when what is typed is to be searched at once */
  asked: number;
  isStale: boolean;
  onAsk(): void;
  onFound(page: FoundPage): void;
}

/** Above the list while something is searched for: how far the search below the folder has come. Loaded with the first letter that is typed. */
export default function SearchBar({ client, onAsk, onFound, ...request }: SearchBarProps) {
  const { t } = useLanguage();
  const { phase, scanned, problem, stop, resume } = useSearch(client, request, onFound);
  const sentence =
    phase === "waiting" || phase === "failed" ? t("search.here") : t(`search.${phase}`, { count: scanned });
  return (
    <search className={`search-bar search-bar--${phase}`} aria-label={t("search.progress")}>
      {problem ? (
        <p className="search-bar__text" role="alert">
          {t("search.failed")} {isSaid(problem.code) && problemText(t, problem.code)}
          <ProblemDetails problem={problem} />
        </p>
      ) : (
        <p className="search-bar__text">{sentence}</p>
      )}
      {phase === "waiting" && (
        <button type="button" className="link-button" onClick={onAsk}>
          {t("search.below")}
        </button>
      )}
      {phase === "running" && (
        <button type="button" className="link-button" onClick={stop}>
          {t("stop")}
        </button>
      )}
      {(phase === "stopped" || phase === "failed") && (
        <button type="button" className="link-button" onClick={resume}>
          {t(phase === "failed" ? "retry" : "search.goOn")}
        </button>
      )}
    </search>
  );
}
