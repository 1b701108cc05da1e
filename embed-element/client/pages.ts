interface Page {
  /** of the page that follows; null at the end */
  cursor: string | null;
}

export interface PagesOptions {
  /** where to begin; by default, at the start */
  cursor?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Yields the pages of a list, each when it is asked for. @throws as `read`, or the signal's reason */
export async function* pagesOf<Result extends Page>(
  read: (cursor: string | undefined, signal: AbortSignal | undefined) => Promise<Result>,
  { cursor, signal }: PagesOptions,
): AsyncGenerator<Result, void, undefined> {
  for (let next: string | null | undefined = cursor; next !== null; ) {
    const page: Result = await read(next, signal);
    signal?.throwIfAborted();
    next = page.cursor;
    yield page;
  }
}
