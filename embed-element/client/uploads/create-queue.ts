import { createDiagnose } from "../diagnose.js";
import type { Events } from "../events.js";
import { type Call, type Platform, platformNow } from "../request.js";
import { createSendTools } from "./send-context.js";
import type { UploadEvents, UploadOptions } from "./upload.js";
import { UploadQueue, type UploadQueueContext } from "./upload-queue.js";
import { UploadRecords } from "./upload-records.js";
import { createStorageTarget, type UploadTarget } from "./upload-target.js";

export interface UploadsContext {
  bucket: string;
  platform: Platform;
  call: Call;
  events: Pick<Events<UploadEvents>, "emit">;
  options?: UploadOptions | undefined;
  /** by default, uploads have the names of their files */
  target?: ((call: Call) => UploadTarget) | undefined;
}

/** The queue with all that it needs. This is the entrance to the code that is loaded with the first file. */
export function createQueue(
  {
    bucket,
    platform,
    call,
    events,
    options = {},
    target: createTarget = createStorageTarget,
  }: UploadsContext,
  publish: UploadQueueContext["publish"],
): UploadQueue {
  const { world } = platform;
  const target = createTarget(call);
  const tools = createSendTools(world, {
    call,
    target,
    diagnose: createDiagnose(platform, bucket, "upload"),
    platformNow: () => platformNow(platform),
  });
  return new UploadQueue({
    bucket,
    tools,
    records: target.resumes ? new UploadRecords(world, options.visitorKey ?? "") : null,
    options,
    publish,
    onUploaded: (files) => events.emit("uploaded", { files }),
    onFailed: (upload) => events.emit("uploadFailed", { upload }),
  });
}
