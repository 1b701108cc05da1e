import { useEffect, useRef, useState } from "react";
import type { FrameSession } from "../../../embed/frame/use-session";
import { contentTypeOf } from "../browse/file-kind";
import { SERVICE } from "../place/props";
import { useLanguage } from "../screen/language";
import { EmbeddingPageGate } from "../uploads/embedding-page-gate";
import { createSendTools } from "../uploads/transfers/send-context";
import type { Upload } from "../uploads/transfers/upload";
import { type IncomingFile, type UploadCallbacks, UploadQueue } from "../uploads/transfers/upload-queue";
import { type UploadRecord, UploadRecords } from "../uploads/transfers/upload-records";
import { postFailed, postUploaded } from "../uploads/upload-messages";
import { useUploadPanel } from "../uploads/use-upload-panel";
import { useAnswersBeforeUpload } from "../uploads/use-uploads";
import { HandInClient } from "./hand-in-client";
import type { HandInProps } from "./hand-in-view.server";
import { VisitNames } from "./visit-names";

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
  const [names] = useState(() => new VisitNames());
  const [client] = useState(
    () => new HandInClient(frame.session, bucket, { development: props.development }),
  );
  /** keys as the upload queue knows them, by the uploads' ids */
  const keys = useRef(new Map<number, string>());
  const [takingBack, setTakingBack] = useState<ReadonlyMap<number, TakingBack>>(new Map());

  const answersBeforeUpload = useAnswersBeforeUpload(embeddingPage);
  const [queue] = useState(() => {
    const callbacks: UploadCallbacks = {
      isListed: () => false,
      onFinished(files) {
        for (const file of files) {
          keys.current.set(file.upload.id, file.key);
          postUploaded(embeddingPage, { bucket, key: client.storedKeyOf(file.key) }, file);
        }
      },
      onFailed: (upload) => postFailed(embeddingPage, upload),
    };
    const tools = createSendTools(client);
    const gate = names.guard(() => new EmbeddingPageGate(embeddingPage, answersBeforeUpload));
    const { limits } = props;
    const records = new NoUploadRecords(props.visitorKey);
    return new UploadQueue({ tools, records, bucket, contentTypeOf, limits, gate }, () => callbacks);
  });
  const uploads = useUploadPanel(queue, embeddingPage, announce);
  const hasEnded = frame.state.status === "ended";
  useEffect(() => {
    // After the end of a session, the visitor has signed in again.
    if (!hasEnded) queue.retryEnded();
  }, [hasEnded, queue]);

  const mark = (id: number, state: TakingBack) => setTakingBack((before) => new Map(before).set(id, state));

  /** @returns true if the file is gone now */
  const takeBack = async ({ id, name }: Upload): Promise<boolean> => {
    const key = keys.current.get(id);
    if (key === undefined) return false;
    mark(id, "running");
    try {
      const isRemoved = await client.takeBack(key);
      mark(id, isRemoved ? "done" : "collected");
      announce(isRemoved ? t("handIn.takenBack", { name }) : t("handIn.collected"));
      if (isRemoved) {
        embeddingPage.post({
          type: "platform.embed.change",
          service: SERVICE,
          bucket,
          action: "delete",
          items: [{ key: client.storedKeyOf(key) }],
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
    queue,
    rows,
    sent,
    takeBack,
    add(files: readonly IncomingFile[]) {
      // Empty folders are nothing to hand in.
      const named = files
        .filter(({ file }) => file !== null)
        .map((file) => ({ ...file, name: names.take(file.folderPath, file.name) }));
      queue.add(named);
      return named.length;
    },
    /** Tells the embedding page that the visitor has finished. */
    finish() {
      const files = sent.map(({ id, name, size }) => {
        return { bucket, key: client.storedKeyOf(keys.current.get(id) ?? ""), name, size };
      });
      embeddingPage.post({ type: "platform.embed.done", service: SERVICE, files });
    },
  };
}

export type HandInVisit = ReturnType<typeof useHandIn>;

/**
 * Remembers nothing: on a shared computer, the next visitor would be shown what the last one was sending. An interrupted upload goes on while
 * the page is open.
 */
class NoUploadRecords extends UploadRecords {
  override async find(): Promise<UploadRecord[]> {
    return [];
  }

  override keep(): void {}

  override forget(): void {}

  override async claim(): Promise<() => void> {
    return () => {};
  }
}
