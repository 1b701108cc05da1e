import { asFilesError, type FilesClient, type FilesError } from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";
import { visibleText } from "../../../locales/visible-text";
import { refusalOfMedia } from "../browse/refusal-of-media";
import type { Refusal } from "../browse/run-worker";
import { contentId } from "../place/content-of";
import type { FileEntry } from "../place/contract/storage-contract.server";
import { useLanguage } from "../screen/language";
import { DownloadNote, PreviewProblem, RefusedNote } from "./preview-elements";
import { useLoaded } from "./use-loaded";

/** Maximum number of URL renewals in a row without progress. */
const MAX_RENEWALS = 2;

/** Of playing without a frame, seconds. */
const MAX_SECONDS_WITHOUT_FRAME = 1;

/** The browser plays the sound of a video whose pictures it cannot decode, beside a black rectangle. */
function isWithoutPicture(media: HTMLMediaElement): boolean {
  if (!(media instanceof HTMLVideoElement)) return false;
  if (media.videoWidth === 0) return media.readyState >= HTMLMediaElement.HAVE_METADATA;
  const { played } = media;
  const seconds = played.length === 0 ? 0 : played.end(0) - played.start(0);
  return seconds > MAX_SECONDS_WITHOUT_FRAME && media.getVideoPlaybackQuality().totalVideoFrames === 0;
}

interface MediaPreviewProps {
  file: FileEntry;
  kind: "video" | "audio";
  client: FilesClient;
}

/** Where to continue with a new URL. */
interface Place {
  /** seconds */
  at: number;
  playing: boolean;
}

/**
 * The browser plays the file from the store and reads the ranges that it needs. A presigned URL is valid for minutes, a film takes hours:
 * when the URL expires, playback continues with a new one.
 */
export function MediaPreview({ file, kind, client }: MediaPreviewProps) {
  const { t } = useLanguage();
  const element = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const [asked, setAsked] = useState(0);
  const [problem, setProblem] = useState<FilesError | "unplayable" | "noPicture" | null>(null);
  const [ready, setReady] = useState(false);
  const place = useRef<Place>({ at: 0, playing: false });
  /** renewals since the last progress */
  const renewals = useRef(0);
  const address = useLoaded(
    async (signal): Promise<{ url: string; refusal: Refusal | null }> => {
      const url = await client.downloads.url(file, { disposition: "inline", signal });
      return { url, refusal: await refusalOfMedia(url, signal) };
    },
    [client, contentId(file), asked],
  );
  const refusal = address.state === "ready" ? address.value.refusal : null;

  useEffect(() => {
    // Set directly: two URLs signed in the same second are equal, and React would not set the second one.
    if (element.current && address.state === "ready" && !address.value.refusal)
      element.current.src = address.value.url;
  }, [address]);

  useEffect(() => {
    const media = element.current;
    // A media element keeps loading and playing after it is removed.
    return () => {
      media?.pause();
      media?.removeAttribute("src");
      media?.load();
    };
  }, []);

  const onError = async () => {
    const media = element.current;
    if (!media?.error) return;
    // A decoding error is not a problem of the URL.
    const broken = media.error.code === MediaError.MEDIA_ERR_DECODE;
    if (!broken && renewals.current < MAX_RENEWALS) {
      renewals.current++;
      setAsked((times) => times + 1);
      return;
    }
    const found = await client.downloads.diagnose().catch(asFilesError);
    setProblem(found.code === "unreachable" || found.code === "cors_blocked" ? "unplayable" : found);
  };

  if (problem === "unplayable")
    return <DownloadNote name={file.name} text={t(`look.${problem}`)} role="alert" />;
  if (problem && problem !== "noPicture") return <PreviewProblem name={file.name} problem={problem} />;
  if (refusal) return <RefusedNote name={file.name} refusal={refusal} />;
  if (address.state === "failed") return <PreviewProblem name={file.name} problem={address.problem} />;
  const Media = kind;
  const isSoundAlone = problem === "noPicture";
  return (
    <div className={`preview__media preview__media--${isSoundAlone ? "sound" : kind}`}>
      {/* Players draw what turns meanwhile. */}
      {!ready && (
        <p className="visually-hidden" role="status">
          {t("preview.loading")}
        </p>
      )}
      {isSoundAlone && <DownloadNote name={file.name} text={t("look.noPicture")} role="alert" />}
      <Media
        ref={element}
        controls
        playsInline
        preload="metadata"
        aria-label={visibleText(file.name)}
        onLoadedMetadata={({ currentTarget }) => {
          setReady(true);
          if (isWithoutPicture(currentTarget)) setProblem("noPicture");
          const { at, playing } = place.current;
          if (at > 0) currentTarget.currentTime = at;
          if (playing) void currentTarget.play().catch(() => {});
        }}
        onTimeUpdate={({ currentTarget }) => {
          const { currentTime, error, readyState } = currentTarget;
          if (isWithoutPicture(currentTarget)) setProblem("noPicture");
          // A new URL reports time 0 before it has been moved to its place.
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
