import { expect, it } from "vitest";
import { judgeCertificate } from "./addresses";

const BASE = "https://embed.example.com";

it.each([
  [90, undefined, "ok", /90 more days/],
  [13, undefined, "warning", /expires in 13 days/],
  [-2, "CERT_HAS_EXPIRED", "error", /refuse the certificate \(CERT_HAS_EXPIRED\)/],
  [300, "DEPTH_ZERO_SELF_SIGNED_CERT", "error", /DEPTH_ZERO_SELF_SIGNED_CERT/],
])("a certificate with %d days left and the issue %s is %s", (daysLeft, issue, status, message) => {
  expect(judgeCertificate(BASE, daysLeft, issue)).toMatchObject({
    status,
    message: expect.stringMatching(message),
  });
});
