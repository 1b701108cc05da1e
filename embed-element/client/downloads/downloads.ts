import type { Call } from "../request.js";

/** A file as it is now, or an older version of it. */
export interface StoredFile {
  key: string;
  versionId?: string | undefined;
}

export interface UrlOptions {
  /** `attachment`: browsers save it, under its name; `inline`: they show it if they can */
  disposition?: "attachment" | "inline";
  signal?: AbortSignal;
}

/** What is stored, as the store sends it. */
export class Downloads {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** A presigned URL of a file. It is valid for minutes, so ask for it when it is used. @throws a FilesError, or the signal's reason */
  async url(
    { key, versionId }: StoredFile,
    { disposition = "attachment", signal }: UrlOptions = {},
  ): Promise<string> {
    const request = { key, ...(versionId !== undefined && { versionId }), disposition };
    return (await this.#call("presign-download", request, signal)).url;
  }
}
