/**
 * Returns a function that imports a module once, and imports it again after a failure. Some browsers (Chromium 150) remember a failed import
 * until the page is reloaded, so each retry uses another URL. Bundles that load chunks by scripts of their own (webpack) ask for them again, and
 * must leave that import as it is. Calls at the top of a module are marked as pure: then bundles that use other parts of the engine, such as the
 * service worker, leave the module out.
 */
export function moduleLoader<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  let failedUrl: string | undefined;
  let retries = 0;
  const importModule = (): Promise<Module> =>
    failedUrl === undefined
      ? load()
      : import(/* webpackIgnore: true */ /* @vite-ignore */ `${failedUrl}?retry=${++retries}`);
  return () => {
    loading ??= importModule().catch((error) => {
      loading = undefined;
      // The browser's message ends with the URL. Where it does not (WebKit), the same import is tried again. If the browser remembers that
      // too, or the failure of a module that this one imports, only a reload helps: the caller may offer it.
      if (error instanceof TypeError) failedUrl = /https?:\/\/[^\s?]+\.m?js/.exec(error.message)?.[0];
      throw error;
    });
    return loading;
  };
}
