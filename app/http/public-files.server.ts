import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import compression from "compression";
import express, { type Request, type RequestHandler, type Response } from "express";
import { AppError } from "../shared/app-error";
import { type CompressedFile, compressedFiles, type Encoding, encodings } from "./compressed-files.server";
import { sendFailure } from "./failure.server";
import { isFile } from "./route-table.server";

const AN_HOUR = "public, max-age=3600";
/** Asks whether there is a newer one, so that a page does not start the worker of an earlier build. */
const REVALIDATE = "no-cache";
/** A year, the longest that caches keep anything. */
const FOREVER = "public, max-age=31536000, immutable";
const WORKERS = "/embed-workers/";
/** Workers read files of strangers: they load nothing, and connect to nothing. Two of them contain WebAssembly. */
const WORKER_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval'";
const VERSIONED = /^\/platform-embed@(.+?)\.(js|js\.map|languages\.js|choose\.js|css)$/;

/**
 * Middleware: the files in `public/`: the built scripts and styles, PDF.js and `<platform-embed>`.
 * @param production no file changes while the process runs, and they are compressed
 */
export function publicFiles(production: boolean): RequestHandler {
  const versions = readVersions();
  const paths = new Set(production ? readPaths() : []);
  const compress = compressedFiles("public");
  const serve = express.static("public", {
    index: false,
    redirect: false,
    setHeaders: (response) => {
      response.setHeader("Cache-Control", cacheControlOf(response.req.path, versions));
    },
  });
  return (request, response, next) => {
    const { path, method } = request;
    if (!isFile(path) || (method !== "GET" && method !== "HEAD")) return next();
    for (const [name, value] of Object.entries(crossOriginHeadersOf(path))) response.setHeader(name, value);
    if (path.startsWith(WORKERS)) response.setHeader("Content-Security-Policy", WORKER_POLICY);
    const encoding = paths.has(path) ? encodingFor(request, response) : undefined;
    if (encoding) {
      const send = ({ bytes, etag }: CompressedFile) => {
        response.set({
          "Cache-Control": cacheControlOf(path, versions),
          "Content-Encoding": encoding,
          ETag: etag,
        });
        response.send(bytes);
      };
      return void compress(path, encoding).then(send).catch(next);
    }
    serve(request, response, (error) => {
      const unknown = unknownVersion(path, versions);
      if (error || unknown === undefined) next(error);
      else sendFailure(request, response, unknown);
    });
  };
}

/** The paths of all files in `public/`, as requests name them. */
function readPaths(): string[] {
  return readdirSync("public", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `/${relative("public", join(parentPath, name)).replaceAll(sep, "/")}`);
}

/** How a file is compressed that is there; undefined if it is sent as it is. Sets the headers that depend on that. */
function encodingFor(request: Request, response: Response): Encoding | undefined {
  response.type(extname(request.path));
  if (!compression.filter(request, response)) return undefined;
  response.vary("Accept-Encoding");
  return encodings.find((encoding) => request.acceptsEncodings(encoding));
}

/**
 * Pages of other origins load the element's files, including pages that require CORS or CORP. All other files are loaded by the
 * frame, whose workers start only if their script has the frame's embedder policy. docs/decisions/0083
 */
function crossOriginHeadersOf(path: string): Record<string, string> {
  if (!path.startsWith("/platform-embed")) return { "Cross-Origin-Embedder-Policy": "credentialless" };
  return { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" };
}

/** Built files have a hash of their content in their names. A version of the element may still change until it is released. */
export function cacheControlOf(path: string, versions: Versions): string {
  const version = VERSIONED.exec(path)?.[1] ?? "";
  if (path.startsWith(WORKERS)) return REVALIDATE;
  return path.startsWith("/build/") || versions[version]?.released ? FOREVER : AN_HOUR;
}

/** The error for an unknown version of the element. It lists the known ones. Undefined for all other paths. */
function unknownVersion(path: string, versions: Versions): AppError | undefined {
  const [, version, extension] = VERSIONED.exec(path) ?? [];
  if (version === undefined) return undefined;
  const names = Object.keys(versions);
  const message =
    `There is no version ${version} here. There is ${names.join(", ") || "none"}: ` +
    `/platform-embed@${names.at(-1) ?? "VERSION"}.${extension}`;
  return new AppError("not_found", message);
}

/** The versions of the element that the build has put into `public/`, oldest first. */
type Versions = Record<string, { released?: boolean } | undefined>;

function readVersions(): Versions {
  try {
    return JSON.parse(readFileSync("public/platform-embed.json", "utf8")).versions;
  } catch {
    return {};
  }
}
