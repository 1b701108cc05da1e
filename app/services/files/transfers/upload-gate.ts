import type { FileToUpload } from "../../../../embed-element/protocol";
import type { StorageProblem } from "../storage-problem";

/** What whoever was asked says of one file. */
export interface GateDecision {
  /** which of the files */
  index: number;
  /** why it may not be uploaded */
  problem?: StorageProblem;
  /** what it is to be called instead */
  name?: string;
}

/** Asked before files are uploaded: it may refuse or rename each. */
export interface UploadGate {
  /**
   * @param decide called once for each file, with those that are decided together
   * @returns false when there is nobody to ask; then `decide` is never called
   */
  ask(files: FileToUpload[], decide: (decisions: GateDecision[]) => void): boolean;
}
