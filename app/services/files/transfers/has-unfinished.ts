const DATABASE = "platform-embed-uploads";
export const STORE = "uploads";

/** The database in which a browser remembers uploads that were not ended; made where there is none. */
export function openUploads(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
  return resultOf(request);
}

export function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Whether this browser remembers some: only then what sends them has to be loaded. */
export async function hasUnfinishedUploads(): Promise<boolean> {
  try {
    // Which is made where there is none: WebKit lists none of those that a frame of another site has.
    const database = await openUploads();
    try {
      return (await resultOf(database.transaction(STORE).objectStore(STORE).count())) > 0;
    } finally {
      database.close();
    }
  } catch {
    // Without storage there is nothing to go on with.
    return false;
  }
}
