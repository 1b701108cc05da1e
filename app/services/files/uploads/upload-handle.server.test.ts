import { describe, expect, it } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import { readUploadHandle, signUploadHandle } from "./upload-handle.server";

const NOW = 1_000;
const WEEK = 7 * 24 * 3600;
const secrets = ["the present secret of 32 bytes and more", "the previous secret of 32 bytes and more"];
const toolsAt = (nowSeconds: number, signingSecrets = secrets) =>
  ({ nowSeconds, signingSecrets }) as unknown as ServiceTools;
const grant = testGrant();
const upload = {
  companyId: "company",
  bucket: "docs",
  key: "a",
  uploadId: "id",
  eventId: "event",
  contentType: "a/b",
  size: 1,
  partSize: 1,
  algorithm: null,
  overwrite: false,
};
const opened = { ...upload, exp: NOW + WEEK };
const [present = "", previous = ""] = secrets;
const PURPOSE = "files-upload";
const notOurs = {
  code: "invalid_request",
  issues: [{ path: "upload", message: "is not what multipart/create returned" }],
};

describe("a handle", () => {
  it("is signed with the present secret, for this use alone, and read back for a week", () => {
    const handle = signUploadHandle(upload, toolsAt(NOW));
    expect(readSignedValue(handle, [present], PURPOSE)).toEqual(opened);
    expect(readSignedValue(handle, [present])).toBeNull();
    expect(readUploadHandle(handle, grant, toolsAt(NOW))).toEqual(opened);
    expect(readUploadHandle(handle, grant, toolsAt(NOW + WEEK - 1))).toEqual(opened);
    expect(() => readUploadHandle(handle, grant, toolsAt(NOW + WEEK))).toThrow(
      expect.objectContaining({ code: "upload_not_found", message: "That upload has expired." }),
    );
  });

  it("is read also where the previous secret signed it, and by nobody who knows neither", () => {
    const older = signValue(opened, previous, PURPOSE);
    expect(readUploadHandle(older, grant, toolsAt(NOW))).toEqual(opened);
    expect(() => readUploadHandle(older, grant, toolsAt(NOW, [present]))).toThrow(
      expect.objectContaining(notOurs),
    );
  });

  it.each<[string, string]>([
    ["out of form", "nonsense"],
    ["signed for another use", signValue(opened, present)],
    ["no upload", signValue({ ...opened, size: "1" }, present, PURPOSE)],
    ["of a checksum that there is not", signValue({ ...opened, algorithm: "MD5" }, present, PURPOSE)],
  ])("that is %s is refused", (_, handle) => {
    expect(() => readUploadHandle(handle, grant, toolsAt(NOW))).toThrow(expect.objectContaining(notOurs));
  });

  it("is for its company alone", () => {
    const handle = signUploadHandle(upload, toolsAt(NOW));
    expect(() => readUploadHandle(handle, { ...grant, companyId: "other" }, toolsAt(NOW))).toThrow(
      expect.objectContaining({ code: "scope_not_allowed", message: "That upload is another company's." }),
    );
  });
});
