/** Keeps small records for later visits. If it has no place for them, its methods reject, and nothing is remembered. */
export interface RecordStorage {
  all(): Promise<StoredRecord[]>;
  /** Replaces the record with the same id. Resolves when it survives a crash. */
  put(record: StoredRecord): Promise<void>;
  delete(id: string): Promise<void>;
  /** Messages to and from others who use the same storage now; null if there are none. */
  openChannel(): RecordChannel | null;
}

export interface StoredRecord {
  id: string;
}

export interface RecordChannel {
  post(message: object): void;
  listen(onMessage: (message: unknown) => void): void;
  close(): void;
}

const DATABASE = "platform-embed-uploads";
const STORE = "uploads";
/** How long opening it may take. */
const OPEN_TIMEOUT_MS = 10_000;
/** Flushed to disk before a write resolves, so that it survives a killed browser. */
const durable = { durability: "strict" };

/** IndexedDB. Browsers partition a third-party frame's storage by the embedding page. */
export const browserStorage: RecordStorage = {
  all: () => run<StoredRecord[]>("readonly", (store) => store.getAll()),
  put: (record) => run("readwrite", (store) => store.put(record)),
  delete: (id) => run("readwrite", (store) => store.delete(id)),
  openChannel() {
    try {
      return browser.indexedDB ? recordChannel(new BroadcastChannel(DATABASE)) : null;
    } catch {
      // Where storage is blocked, some browsers refuse channels, too.
      return null;
    }
  },
};

/** Between the tabs of a browser. */
export function recordChannel(channel: BroadcastingChannel): RecordChannel {
  return {
    post: (message) => channel.postMessage(message),
    listen(onMessage) {
      channel.onmessage = ({ data }: { data: unknown }) => onMessage(data);
    },
    close: () => channel.close(),
  };
}

let opening: Promise<Database> | null = null;

/** Resolves once the transaction is committed: a full disk may refuse it after the request has succeeded. */
async function run<Result>(mode: string, work: (store: ObjectStore) => Request<Result>): Promise<Result> {
  try {
    opening ??= open();
    const database = await opening;
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode, durable);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new TypeError("The transaction was aborted."));
    });
  } catch (error) {
    // Storage may be disabled, full or cleared at any moment.
    opening = null;
    throw error;
  }
}

function open(): Promise<Database> {
  return new Promise((resolve, reject) => {
    if (!browser.indexedDB) throw new TypeError("There is no IndexedDB.");
    const request = browser.indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
    request.onsuccess = () => {
      const database = request.result;
      // Whoever clears the site's data would wait for this tab.
      database.onversionchange = () => {
        database.close();
        opening = null;
      };
      resolve(database);
    };
    request.onerror = () => reject(request.error);
    // It waits for a deletion, which waits for another tab. Some browsers never tell that it is over.
    setTimeout(() => reject(new TypeError("IndexedDB does not open.")), OPEN_TIMEOUT_MS);
  });
}

// What is used of browsers, because the server's code, which imports the engine, knows no types of theirs.

const browser = globalThis as unknown as { indexedDB?: { open(name: string, version: number): OpenRequest } };

interface Request<Result> {
  result: Result;
}

interface OpenRequest extends Request<Database> {
  error: unknown;
  onsuccess: unknown;
  onerror: unknown;
  onupgradeneeded: unknown;
}

interface Database {
  createObjectStore(name: string, options: { keyPath: string }): unknown;
  transaction(name: string, mode: string, options: object): Transaction;
  close(): void;
  onversionchange: unknown;
}

interface Transaction {
  error: unknown;
  oncomplete: unknown;
  onabort: unknown;
  objectStore(name: string): ObjectStore;
}

interface ObjectStore {
  getAll(): Request<StoredRecord[]>;
  put(record: StoredRecord): Request<void>;
  delete(id: string): Request<void>;
}

interface BroadcastingChannel {
  postMessage(message: unknown): void;
  close(): void;
  onmessage: unknown;
}
