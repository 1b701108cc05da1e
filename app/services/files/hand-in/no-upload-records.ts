import { type UploadRecord, UploadRecords } from "../transfers/upload-records";

/**
 * Remembers nothing: on a shared computer, the next visitor would be shown what the last one was sending. An interrupted upload goes on while
 * the page is open.
 */
export class NoUploadRecords extends UploadRecords {
  override async find(): Promise<UploadRecord[]> {
    return [];
  }

  override keep(): void {}

  override forget(): void {}

  override async claim(): Promise<() => void> {
    return () => {};
  }
}
