import type { ServiceTools } from "../../../embed/service";
import type { FilesGrant } from "../place/scope-guards.server";
import type { HandInStrategy } from "../uploads/hand-in-strategy.server";
import { readReceipt, signReceipt, signTakeBack } from "./hand-in-handles.server";
import { suffixedKey } from "./suffixed-key.server";

export const handInStrategy: HandInStrategy = {
  keyFor: suffixedKey,
  signReceipt,
  readReceipt,
  signTakeBack,
};

/** A use case of uploads, for the pages of both kinds. */
export const withHandIn =
  <Body, Result>(
    upload: (body: Body, grant: FilesGrant, tools: ServiceTools, handIn: HandInStrategy) => Promise<Result>,
  ) =>
  (body: Body, grant: FilesGrant, tools: ServiceTools) =>
    upload(body, grant, tools, handInStrategy);
