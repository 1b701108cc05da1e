import { createDiagnose, type Diagnose } from "../diagnose.js";
import { loadOnDemand } from "../load-on-demand.js";
import type { RequestOf } from "../operations.js";
import { type Call, type Platform, platformNow } from "../request.js";
import type { Row } from "../rows.js";
import type { SignedDownload, StoredFile, UrlSource } from "./zip/signed-urls.js";
import type { Zip, ZipOptions } from "./zip/zip.js";

export interface UrlOptions {
  /** `attachment`: browsers save it, under its name; `inline`: they show it if they can */
  disposition?: "attachment" | "inline" | undefined;
  signal?: AbortSignal | undefined;
}

interface UrlsOptions extends Pick<RequestOf<"presign-downloads">, "check" | "purpose"> {
  signal?: AbortSignal | undefined;
}

/** What is stored, as the store sends it. */
export class Downloads implements UrlSource {
  /** Why the store could not be reached: a browser does not tell a page. @throws the signal's reason */
  readonly diagnose: Diagnose;

  constructor(
    private readonly platform: Platform,
    bucket: string,
    private readonly call: Call,
  ) {
    this.diagnose = createDiagnose(platform, bucket, "download");
  }

  /** A presigned URL of a file. It is valid for minutes, so ask for it when it is used. @throws a FilesError, or the signal's reason */
  async url(
    { key, versionId }: StoredFile,
    { disposition = "attachment", signal }: UrlOptions = {},
  ): Promise<string> {
    const request = { key, ...(versionId !== undefined && { versionId }), disposition };
    return (await this.call("presign-download", request, signal)).url;
  }

  /**
   * The URLs of at most MAX_SIGNED_DOWNLOADS files, in their order.
   * @param options `check`: no URLs, only which files can be read; `purpose`: what they are for, in the words of the record
   * @returns `expiresAt`: until then they are valid; unix seconds, by the platform's clock
   * @throws a FilesError, or the signal's reason
   */
  urls(
    files: readonly StoredFile[],
    { signal, ...options }: UrlsOptions = {},
  ): Promise<{ downloads: readonly SignedDownload[]; expiresAt: number }> {
    const keys = files.map(({ key, versionId }) => (versionId === undefined ? key : { key, versionId }));
    return this.call("presign-downloads", { keys, ...options }, signal);
  }

  /** Seconds until a moment of the platform's clock. @param moment unix seconds */
  secondsUntil(moment: number): number {
    return moment - platformNow(this.platform);
  }

  /**
   * An archive of files and folders, as it would be made now: what is in it, and what cannot be. Its bytes are read when they are asked for.
   * @param items files, of which those with a `versionId` are older versions, and folders with everything in them
   * @throws a FilesError, the signal's reason, or a RangeError for several versions of one file
   */
  async zip(items: readonly Row[], options: ZipOptions = {}): Promise<Zip> {
    const { makeZip } = await loadOnDemand();
    return makeZip({ downloads: this, call: this.call, world: this.platform.world }, items, options);
  }
}
