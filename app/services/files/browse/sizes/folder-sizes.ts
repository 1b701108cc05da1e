import { type FilesClient, type FolderSizes as SizesResponse, Store } from "platform-embed-element/client";
import type { FolderEntry } from "../../place/contract/storage-contract.server";
import { type VisibleFile, VisibleFiles } from "../grid/visible-files";

/** Sizes that are kept. With more, those that are not on the screen are asked about again. */
const MAX_KNOWN = 5_000;

export type FolderSize = NonNullable<SizesResponse["sizes"][number]>;

export interface KnownSizes {
  /** by path; null: too many files to count them in passing */
  byPath: ReadonlyMap<string, FolderSize | null>;
  /** what others have changed since may be missing; RFC 3339. null: nothing is known yet */
  asOf: string | null;
}

export const nothingKnown: KnownSizes = { byPath: new Map(), asOf: null };

/** The sizes of visible folders: those that appear together are asked about in one request. */
export class FolderSizes {
  readonly #visible = new VisibleFiles<undefined, Pick<FolderEntry, "path">>((folders) =>
    this.#askAbout(folders),
  );
  readonly #known = new Store(nothingKnown);
  /** how many times something has changed */
  #changes = 0;
  readonly #stopListening: (() => void)[];

  constructor(private readonly client: Pick<FilesClient, "sizes" | "on">) {
    // Also of folders around what has changed, and around where it went.
    this.#stopListening = [client.on("changed", this.#forget), client.on("uploaded", this.#forget)];
  }

  readonly getState = this.#known.getState;
  readonly subscribe = this.#known.subscribe;

  /** @returns a function to call when the folder is no longer visible */
  want(folder: Pick<FolderEntry, "path">): () => void {
    return this.getState().byPath.has(folder.path) ? () => {} : this.#visible.add(folder, () => {});
  }

  /**
   * Counts a folder, however many files it has, for some seconds.
   * @returns whether its size is known then
   * @throws a FilesError, or the signal's reason
   */
  async count(path: string, signal: AbortSignal): Promise<boolean> {
    const told = await this.client.sizes([path], { thorough: true, signal });
    this.#tell([path], told);
    return told.sizes[0] !== null;
  }

  close(): void {
    this.#visible.close();
    for (const stop of this.#stopListening) stop();
  }

  async #askAbout(folders: readonly VisibleFile<undefined, Pick<FolderEntry, "path">>[]): Promise<void> {
    const paths = folders.map(({ file }) => file.path);
    const before = this.#changes;
    const told = await this.client.sizes(paths).catch(() => null);
    // Without a response, they are asked about again when they become visible again.
    if (told === null) return;
    if (this.#changes === before) return this.#tell(paths, told);
    for (const folder of folders) if (!folder.abort.signal.aborted) this.#visible.ask(folder);
  }

  #tell(paths: readonly string[], { sizes, asOf }: SizesResponse): void {
    const known = this.getState().byPath;
    const byPath = new Map(known.size > MAX_KNOWN ? [] : known);
    for (const [at, path] of paths.entries()) byPath.set(path, sizes[at] ?? null);
    this.#known.setState({ byPath, asOf });
  }

  #forget = (): void => {
    this.#changes += 1;
    this.#known.setState(nothingKnown);
  };
}
