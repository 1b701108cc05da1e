import { z } from "zod";
import { nameOfPath } from "../shared/validation-messages";
import { campaignJobSchema } from "./campaign-job.server";

type Path = readonly PropertyKey[];

/**
 * What an e-mail cannot do without: somebody to send it to, and what it says. Of what a job has, these are not left out either: a way to
 * unsubscribe, the site that its recipient may have unsubscribed from, and texts that replace our own.
 */
const REQUIRED = [
  "",
  "recipient",
  "recipient.email",
  "recipient.unsubscribeToken",
  "campaignId",
  "site",
  "site.subject",
  "branding",
  "branding.siteUrl",
  "branding.siteName",
  "body",
];

/** Each round leaves something out, and a member is at most four deep. */
const MAX_ROUNDS = 10;

/**
 * The schema of a job as the queue delivers it. Nobody can correct the job any more, so a faulty part that the e-mail can do without is
 * left out. `leftOut` names these parts, like `events[0].date`. A job without `branding.siteName` gets `siteName`.
 */
export const deliveredJobSchema = (siteName: string) =>
  z.preprocess(
    (json) => leaveOutFaultyParts(json, siteName),
    campaignJobSchema.extend({ leftOut: z.array(z.string()).default([]) }),
  );

/** @returns the job without its faulty parts, and their paths in `leftOut`; the job as it is if it cannot do without one of them */
function leaveOutFaultyParts(json: unknown, siteName: string): unknown {
  const job: unknown = structuredClone(json);
  const leftOut = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { error } = campaignJobSchema.safeParse(job);
    if (error === undefined) return Object.assign(Object(job), { leftOut: [...leftOut] });
    const names = error.issues.map(({ path }) => leaveOut(path, job, siteName));
    if (names.includes(undefined)) break;
    for (const name of names) if (name !== undefined) leftOut.add(name);
    for (const member of ["featuredProducts", "events"]) closeGaps(Object(job), member);
  }
  return json;
}

/**
 * Removes a part, or, if it is missing, what contains it.
 * @returns its name; undefined if the e-mail cannot do without it
 */
function leaveOut(path: Path, job: unknown, siteName: string): string | undefined {
  const name = nameOf(path);
  const { branding } = Object(job);
  if (name === "branding" && isMissing(branding)) Object(job).branding = {};
  // With an address, the name does not decide which site it is: `siteOf`.
  else if (name === "branding.siteName" && (isMissing(branding.siteName) || !isMissing(branding.siteUrl)))
    branding.siteName = siteName;
  else if (REQUIRED.includes(name)) return undefined;
  else {
    const owner = path.slice(0, -1).reduce<unknown>((inner, member) => Object(inner)[member], job);
    const member = path.at(-1) ?? "";
    if (Object(owner)[member] === undefined) return leaveOut(path.slice(0, -1), job, siteName);
    delete Object(owner)[member];
  }
  return name;
}

/** As `optionalOf` has it. */
const isMissing = (value: unknown): boolean => value === undefined || value === null || value === "";

/** Removes the places of a list that `leaveOut` has emptied. */
function closeGaps(job: Record<string, unknown>, member: string): void {
  const list = job[member];
  if (Array.isArray(list)) job[member] = list.filter((item) => item !== undefined);
}

/** Names of variables are left out: they may be anything, also an address. */
const nameOf = (path: Path): string => nameOfPath(path[0] === "variables" ? ["variables"] : path);
