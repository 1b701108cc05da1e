import type { FilesScope } from "../../../app/services/files/place/scope.server";
import type { FilesGrant } from "../../../app/services/files/place/scope-guards.server";

/** What a token for the bucket `docs` allows, issued at second 1,000 and valid until 2,000. */
export const testGrant = (
  scope: Partial<FilesScope> = {},
  changes: Partial<FilesGrant> = {},
): FilesGrant => ({
  scope: { bucket: "docs", ...scope },
  companyId: "company",
  clientId: "client",
  visitor: undefined,
  origins: [],
  issuedAt: 1_000,
  expiresAt: 2_000,
  ...changes,
});
