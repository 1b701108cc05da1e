import { useEffect, useRef, useState } from "react";
import type { StorageClient } from "../../storage-client";
import type { FileEntry } from "../../storage-contract.server";
import { asProblem, type StorageProblem } from "../../storage-problem";
import { useLanguage } from "../language";
import { PreviewNote, PreviewProblem, PreviewWait } from "./preview-note";
import { useLoaded } from "./use-loaded";

/** So often a URL is replaced without any progress in between: then it is not the URL. */
const MOST_RENEWALS = 2;

interface MediaPreviewProps {
  file: FileEntry;
  kind: "video" | "audio";
  client: StorageClient;
}

/** Where to go on once the new URL is there. */
interface Place {
  /** seconds */
  at: number;
  playing: boolean;
}

/**
 * Played by the browser from the store itself, which reads only the ranges that it needs. A presigned URL lives for minutes, a film for hours:
 * where one has run out in the middle, the next takes over at the same place.
 */
export function MediaPreview({ file, kind, client }: MediaPreviewProps) {
  const { t } = useLanguage();
  const element = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const [asked, setAsked] = useState(0);
  const [problem, setProblem] = useState<StorageProblem | "unplayable" | null>(null);
  const [ready, setReady] = useState(false);
  const place = useRef<Place>({ at: 0, playing: false });
  /** since the last progress */
  const renewals = useRef(0);
  const address = useLoaded(
    async (signal) => (await client.presignDownload(file.key, "inline", signal)).url,
    [client, file.key, asked],
  );

  useEffect(() => {
    // Not an attribute that React sets when it changes: two URLs of one second are the same, and the second has to be tried as well.
    if (element.current && address.state === "ready") element.current.src = address.value;
  }, [address]);

  useEffect(() => {
    const media = element.current;
    // What is no longer in the document goes on loading, and playing, until it is told to stop.
    return () => {
      media?.pause();
      media?.removeAttribute("src");
      media?.load();
    };
  }, []);

  const onError = async () => {
    const media = element.current;
    if (!media?.error) return;
    // Bytes that came and cannot be played are no question of the URL.
    const broken = media.error.code === MediaError.MEDIA_ERR_DECODE;
    if (!broken && renewals.current < MOST_RENEWALS) {
      renewals.current++;
      setAsked((times) => times + 1);
      return;
    }
    const found = await client.diagnose("download").catch(asProblem);
    setProblem(found.code === "unreachable" || found.code === "cors_blocked" ? "unplayable" : found);
  };

  if (problem === "unplayable") return <PreviewNote name={file.name} text={t("look.unplayable")} alert />;
  if (problem) return <PreviewProblem name={file.name} problem={problem} />;
  if (address.state === "failed") return <PreviewProblem name={file.name} problem={address.problem} />;
  const Media = kind;
  return (
    <div className={`preview__media preview__media--${kind}`}>
      {!ready && <PreviewWait />}
      <Media
        ref={element}
        controls
        playsInline
        preload="metadata"
        aria-label={file.name}
        onLoadedMetadata={({ currentTarget }) => {
          setReady(true);
          const { at, playing } = place.current;
          if (at > 0) currentTarget.currentTime = at;
          if (playing) void currentTarget.play().catch(() => {});
        }}
        onTimeUpdate={({ currentTarget: { currentTime, error, readyState } }) => {
          // A new URL starts at 0, and says so, before it is moved to the place.
          if (error || readyState === 0 || currentTime === place.current.at) return;
          place.current.at = currentTime;
          renewals.current = 0;
        }}
        onSeeking={({ currentTarget }) => {
          place.current.at = currentTarget.currentTime;
        }}
        onPlay={() => {
          place.current.playing = true;
        }}
        onPause={({ currentTarget }) => {
          if (!currentTarget.error) place.current.playing = false;
        }}
        onError={() => void onError()}
      />
    </div>
  );
}
