import { createFilesClient, retryTimingOf, type Upload } from "platform-embed-element/client";
import { useEffect, useState } from "react";
import type { FrameSession } from "../../../embed/frame/use-session";
import { contentTypeOf } from "../browse/file-kind";
import { SERVICE } from "../place/props";
import { useLanguage } from "../screen/language";
import type { IncomingFile } from "../uploads/dropped-files";
import { askEmbeddingPage } from "../uploads/embedding-page-gate";
import { postFailed, postUploaded } from "../uploads/upload-messages";
import { useAnswersBeforeUpload, worldWithWorker } from "../uploads/upload-options";
import { useUploadPanel } from "../uploads/use-upload-panel";
import { HandInTarget } from "./hand-in-target";
import type { HandInProps } from "./hand-in-view.server";

/** `failed`: may be tried again. `collected`: the file is no longer there, so that it stays handed in. */
export type TakingBack = "running" | "failed" | "collected" | "done";

/** A row of the page. */
export interface HandInFile {
  upload: Upload;
  takingBack: TakingBack | undefined;
}

/** The uploads of this visit, and what can be done with them. */
export function useHandIn(props: HandInProps, frame: FrameSession, announce: (sentence: string) => void) {
  const { bucket } = props;
  const { embeddingPage } = frame;
  const { t } = useLanguage();
  const answersBeforeUpload = useAnswersBeforeUpload(embeddingPage);
  const [{ client, takeBackByKey }] = useState(() => createVisit(props, frame, answersBeforeUpload));
  const { uploads: engine } = client;
  /** of the files that are stored, by the uploads' ids */
  const [keys, setKeys] = useState<ReadonlyMap<number, string>>(new Map());
  const [takingBack, setTakingBack] = useState<ReadonlyMap<number, TakingBack>>(new Map());

  const { uploads, isLoading } = useUploadPanel(engine, embeddingPage, announce);
  useEffect(() => askEmbeddingPage({ uploads: engine, embeddingPage }), [engine, embeddingPage]);
  useEffect(() => {
    const stopUploaded = client.on("uploaded", ({ files: uploaded }) => {
      setKeys(
        (before) => new Map([...before, ...uploaded.map(({ upload, key }) => [upload.id, key] as const)]),
      );
      for (const file of uploaded) postUploaded(embeddingPage, bucket, file);
    });
    const stopFailed = client.on("uploadFailed", ({ upload }) => postFailed(embeddingPage, upload));
    return () => {
      stopUploaded();
      stopFailed();
    };
  }, [client, embeddingPage, bucket]);
  // What sends files is needed by every visitor.
  useEffect(() => void engine.load().catch(() => {}), [engine]);
  const hasEnded = frame.state.status === "ended";
  useEffect(() => {
    // After the end of a session, the visitor has signed in again.
    if (!hasEnded) engine.retryEnded();
  }, [hasEnded, engine]);

  const mark = (id: number, state: TakingBack) => setTakingBack((before) => new Map(before).set(id, state));

  /** @returns true if the file is gone now */
  const takeBack = async ({ id, name }: Upload): Promise<boolean> => {
    const key = keys.get(id);
    if (key === undefined) return false;
    mark(id, "running");
    try {
      const isRemoved = await takeBackByKey(key);
      mark(id, isRemoved ? "done" : "collected");
      announce(isRemoved ? t("handIn.takenBack", { name }) : t("handIn.collected"));
      if (isRemoved) {
        embeddingPage.post({
          type: "platform.embed.change",
          service: SERVICE,
          bucket,
          action: "delete",
          items: [{ key }],
          done: 1,
          failed: [],
        });
      }
      return isRemoved;
    } catch {
      mark(id, "failed");
      announce(t("handIn.notTakenBack"));
      return false;
    }
  };

  const rows = uploads
    .map((upload): HandInFile => ({ upload, takingBack: takingBack.get(upload.id) }))
    .filter((row) => row.takingBack !== "done" && row.upload.status !== "cancelled");
  const sent = rows.filter(({ upload }) => upload.status === "done").map(({ upload }) => upload);

  return {
    engine,
    /** files were added, and cannot be sent yet */
    isLoading,
    rows,
    sent,
    takeBack,
    async add(incoming: readonly IncomingFile[]) {
      await engine.add(incoming, props.folderPath);
    },
    /** Tells the embedding page that the visitor has finished. */
    finish() {
      const files = sent.map(({ id, name, size }) => {
        return { bucket, key: keys.get(id) ?? "", name, size };
      });
      embeddingPage.post({ type: "platform.embed.done", service: SERVICE, files });
    },
  };
}

export type HandInVisit = ReturnType<typeof useHandIn>;

/** What sends the files of one visit. */
function createVisit(
  { bucket, limits }: HandInProps,
  { session }: FrameSession,
  answersBeforeUpload: () => boolean,
) {
  let target: HandInTarget | undefined;
  const client = createFilesClient({
    tokens: session,
    bucket,
    world: worldWithWorker,
    uploads: { limits, contentTypeOf, needsApproval: answersBeforeUpload },
    uploadTarget(call) {
      target = new HandInTarget(call, retryTimingOf(worldWithWorker));
      return target;
    },
  });
  const takeBackByKey = async (key: string) => (await target?.takeBack(key)) ?? false;
  return { client, takeBackByKey };
}
