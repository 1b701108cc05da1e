import { asProblem, type ProblemCode, StorageProblem } from "../../storage-problem";

/** `changed`: a file is no longer what it was when it was listed. */
export type ArchiveProblemCode = ProblemCode | "changed";

/** Why an archive could not be completed. Its members can be sent as a message from a worker to the page. */
export class ArchiveProblem extends Error {
  constructor(
    readonly code: ArchiveProblemCode,
    readonly details: {
      /** of the file that it is about */
      path?: string;
      requestId?: string;
      /** what the operator has to do: known on a developer's machine only */
      advice?: string;
      /** seconds, from Retry-After */
      retryAfter?: number;
    } = {},
  ) {
    super(code);
  }
}

/** The problem in whatever was thrown, and the file that it is about. */
export function asArchiveProblem(error: unknown, path?: string): ArchiveProblem {
  if (error instanceof ArchiveProblem) return error;
  const { code, details } = asProblem(error);
  return new ArchiveProblem(code, { ...details, path });
}

/** An ArchiveProblem as a message can hold it. */
export type PlainProblem = Pick<ArchiveProblem, "code" | "details">;

/** What was thrown, for a message; `revived` is its reverse. */
export function plainProblem(error: unknown): PlainProblem {
  const { code, details } = asArchiveProblem(error);
  return { code, details };
}

/** As a StorageProblem where it is no file's, so that what passes is tried again. */
export function revived({ code, details }: PlainProblem): ArchiveProblem | StorageProblem {
  const isStorage = code !== "changed" && details.path === undefined;
  return isStorage ? new StorageProblem(code, details) : new ArchiveProblem(code, details);
}
