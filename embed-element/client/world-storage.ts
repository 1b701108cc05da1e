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
}

const DATABASE = "platform-embed-uploads";
const STORE = "uploads";
/** Flushed to disk before a write resolves, so that it survives a killed browser. */
const durable = { durability: "strict" };

/** IndexedDB. Browsers partition a third-party frame's storage by the embedding page. */
export const browserStorage: RecordStorage = {
  all: () => run<StoredRecord[]>("readonly", (store) => store.getAll()),
  put: (record) => run("readwrite", (store) => store.put(record)),
  delete: (id) => run("readwrite", (store) => store.delete(id)),
  openChannel: () => (browser.indexedDB ? recordChannel(new BroadcastChannel(DATABASE)) : null),
};

/** Between the tabs of a browser. */
export function recordChannel(channel: BroadcastingChannel): RecordChannel {
  return {
    post: (message) => channel.postMessage(message),
    listen(onMessage) {
      channel.onmessage = ({ data }: { data: unknown }) => onMessage(data);
    },
  };
}

let opening: Promise<Database> | null = null;

async function run<Result>(mode: string, work: (store: ObjectStore) => Request<Result>): Promise<Result> {
  try {
    opening ??= open();
    const database = await opening;
    return await resultOf(work(database.transaction(STORE, mode, durable).objectStore(STORE)));
  } catch (error) {
    // Storage may be disabled, full or cleared at any moment.
    opening = null;
    throw error;
  }
}

async function open(): Promise<Database> {
  if (!browser.indexedDB) throw new TypeError("There is no IndexedDB.");
  const request = browser.indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
  return resultOf(request);
}

function resultOf<Result>(request: Request<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

// What is used of browsers, because the server's code, which imports the engine, knows no types of theirs.

const browser = globalThis as unknown as { indexedDB?: { open(name: string, version: number): OpenRequest } };

interface Request<Result> {
  result: Result;
  error: unknown;
  onsuccess: unknown;
  onerror: unknown;
}

interface OpenRequest extends Request<Database> {
  onupgradeneeded: unknown;
}

interface Database {
  createObjectStore(name: string, options: { keyPath: string }): unknown;
  transaction(name: string, mode: string, options: object): { objectStore(name: string): ObjectStore };
}

interface ObjectStore {
  getAll(): Request<StoredRecord[]>;
  put(record: StoredRecord): Request<void>;
  delete(id: string): Request<void>;
}

interface BroadcastingChannel {
  postMessage(message: unknown): void;
  onmessage: unknown;
}
