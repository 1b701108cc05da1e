import { flag, httpUrl, text, wholeNumber } from "./parse.server";

/** The key of Amazon, or of what stands in for it, and the object store. */
export const storeVariables = {
  CLOUD_REGION: text.describe("the object store's region, like ca-central-1"),
  CLOUD_ACCESS_KEY_ID: text.describe("the id of the access key that signs for the object store"),
  CLOUD_SECRET_ACCESS_KEY: text.describe("the secret of the access key that signs for the object store"),
  CLOUD_S3_ENDPOINT: httpUrl.optional().describe("an http(s) URL, like https://s3.example.com"),
  CLOUD_S3_FORCE_PATH_STYLE: flag,
  CLOUD_S3_TIMEOUT_SECONDS: wholeNumber(1, 300, 10),
};
