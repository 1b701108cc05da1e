import { describe, expect, it } from "vitest";
import { harmlessType } from "./harmless-type";

const bytes = "application/octet-stream";

describe("the type an object is shown as", () => {
  it.each([
    ["image/png", "image/png"],
    ["IMAGE/JPEG", "image/jpeg"],
    ["application/pdf", "application/pdf"],
    ["video/mp4; codecs=avc1", "video/mp4"],
    ["audio/x-wav", "audio/x-wav"],
    ["image/png; charset=utf-8", "image/png"],
    [" image/png ; x=y", "image/png"],
    ["text/plain", "text/plain"],
    ["text/plain; charset=windows-1252", "text/plain; charset=windows-1252"],
    ['text/plain;charset="UTF-8"', "text/plain; charset=UTF-8"],
    ["text/plain; charset=utf-8; format=flowed", "text/plain"],
    ["text/plain; charset=utf-8, text/html", "text/plain"],
    ["text/plain; charset=utf-8,x", "text/plain"],
    ["text/plain; x=1 charset=utf-8", "text/plain"],
  ])("stays %s where it is harmless", (stored, shown) => {
    expect(harmlessType(stored, "file")).toBe(shown);
  });

  it.each([
    "text/html",
    "TEXT/HTML; charset=utf-8",
    " text/html",
    "text/plain, text/html",
    "text/html, image/png",
    "image/svg+xml",
    "IMAGE/SVG+XML;x=y",
    "image/x+xml",
    "video/any+xml",
    "text/javascript",
    "application/javascript",
    "application/xhtml+xml",
    "text/xml",
    "text/css",
    "application/json",
    "multipart/x-mixed-replace; boundary=x",
    "image/png\r\nX: y",
    "audio/mpegurl",
    "Audio/X-MpegURL",
    "nonsense",
    "image/",
  ])("is mere bytes for %j", (stored) => {
    expect(harmlessType(stored, "picture.png")).toBe(bytes);
  });

  it.each([undefined, "", "binary/octet-stream", "application/octet-stream"])(
    "is the extension's where the store has only %j",
    (stored) => {
      expect(harmlessType(stored, "a.PNG")).toBe("image/png");
      expect(harmlessType(stored, "a.tar.pdf")).toBe("application/pdf");
      for (const name of ["a.svg", "a.html", "a.js", "png", "a.constructor", "a."]) {
        expect(harmlessType(stored, name)).toBe(bytes);
      }
    },
  );
});

describe("an extension's type", () => {
  it.each(
    Object.entries({
      "image/png": ["png"],
      "image/jpeg": ["jpg", "jpeg"],
      "image/gif": ["gif"],
      "image/webp": ["webp"],
      "image/avif": ["avif"],
      "image/bmp": ["bmp"],
      "image/x-icon": ["ico"],
      "application/pdf": ["pdf"],
      "text/plain": ["txt", "log"],
      "video/mp4": ["mp4", "m4v"],
      "video/webm": ["webm"],
      "video/quicktime": ["mov"],
      "audio/mpeg": ["mp3"],
      "audio/mp4": ["m4a"],
      "audio/wav": ["wav"],
      "audio/ogg": ["ogg", "oga", "opus"],
      "audio/flac": ["flac"],
    }),
  )("%s: %j", (type, extensions) => {
    for (const extension of extensions) expect(harmlessType(undefined, `a.${extension}`)).toBe(type);
  });
});
