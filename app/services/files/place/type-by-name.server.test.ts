import { describe, expect, it } from "vitest";
import { belongsToOtherType } from "./type-by-name.server";

describe("the end of a name", () => {
  it.each([
    [["image/*"], "page.html", "image/png"],
    [["image/*"], "PAGE.HTML", "Image/PNG; charset=utf-8"],
    [["image/*"], "page.html.", "image/png"],
    [["image/*"], "page.html . ", "image/png"],
    [["image/*"], "photo.png.exe", "image/png"],
    [["image/*"], "letter.docx", "image/png"],
    [["image/*"], "photo.scr", "image/png"],
    [["image/*"], "photo.png.HTA", "image/png"],
    [["image/*"], "photo.cmd. ", "image/png"],
    [["image/*"], "photo.exe\u00a0", "image/png"],
    [["image/*"], "photo.exe\u3000.", "image/png"],
    [["image/*"], "photo.e\u2028xe", "image/png"],
    [["image/*"], "photo.exe\u200b", "image/png"],
    [["image/*"], "photo.html\u00ad", "image/png"],
    [["image/*"], "photo.xll", "image/png"],
    [["image/*"], "photo.diagcab", "image/png"],
    [["image/*"], "photo.inetloc", "image/png"],
    [["image/*"], "photo.desktop", "image/png"],
    [["application/pdf"], "invoice.vbs", "application/pdf"],
    [["application/pdf"], "invoice.url", "application/pdf"],
    [["image/png"], "photo.jpg", "image/png"],
    [["application/pdf"], "setup.exe", "application/pdf"],
    [["application/pdf"], "script.js", "application/pdf"],
    [["text/plain"], "page.html", "text/plain"],
    [["text/plain", ".pdf"], "page.htm", "text/plain"],
  ])("belongs to another type than the declared one: %j, %s as %s", (fileTypes, name, contentType) => {
    expect(belongsToOtherType(fileTypes, { name, contentType })).toBe(true);
  });

  it.each([
    [["image/*"], "photo.jpg", "image/png"],
    [["image/*"], "photo.JPG", "image/jpeg"],
    [["image/*"], "photo", "image/png"],
    [["image/*"], "html", "image/png"],
    [["image/*"], ".htaccess", "image/png"],
    [["image/*"], "photo.xyz123", "image/png"],
    [["image/*"], "family\u200d.jpg\u00a0", "image/png"],
    [["text/*", ".py"], "script.py", "text/x-python"],
    [["application/x-zip-compressed"], "all.zip", "application/x-zip-compressed"],
    [["text/csv", "application/vnd.ms-excel"], "table.csv", "application/vnd.ms-excel"],
    [["image/*", ".html"], "page.html", "image/png"],
    [["image/*", ".cmd"], "run.cmd", "application/octet-stream"],
    [["application/x-msdownload"], "run.cmd", "application/x-msdownload"],
    [undefined, "page.html", "image/png"],
  ])("does not: %j, %s as %s", (fileTypes, name, contentType) => {
    expect(belongsToOtherType(fileTypes, { name, contentType })).toBe(false);
  });
});
