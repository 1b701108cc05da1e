/**
 * Checks of the settings that `npm run storage` writes, and of what else a bucket needs, for the doctor and for `npm run storage -- check`. They
 * change nothing.
 */
import { MAX_UPLOAD_DAYS } from "platform-embed-element/client";
import { type Check, ok, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import { explainStoreFailure } from "../providers/store-failure.server";
import {
  DEFAULT_KEEP_DAYS,
  keptDays,
  publishesTo,
  uploadsEndAfterDays,
} from "../services/files/bucket-settings.server";
import type { BucketToCheck } from "./context";
import { compareCors } from "./store-cors";
import { checkUnsignedHeaders } from "./unsigned-headers";

const LIFECYCLE_PERMISSION = "s3:GetLifecycleConfiguration";

export function bucketSettingChecks(checked: BucketToCheck): Check[] {
  const settingCheck = (
    name: string,
    run: (checked: BucketToCheck, signal: AbortSignal) => Promise<Verdict | Verdict[]>,
    unreadable: UnreadableSetting,
  ): Check => ({
    name,
    run: (signal) => run(checked, signal),
    explain: (error) => explainUnreadableSetting(error, checked.bucket, unreadable),
  });
  return [
    { name: "store.cors", run: (signal) => compareCors(checked, signal) },
    settingCheck("store.lifecycle", checkUploads, {
      permission: LIFECYCLE_PERMISSION,
      question: "whether unfinished multipart uploads are removed",
      setting: "a lifecycle rule that ends them after some days",
    }),
    settingCheck("store.versioning", checkVersioning, {
      permission: "s3:GetBucketVersioning",
      question: "whether the bucket keeps versions, so deleting cannot be undone",
      setting: "versioning",
    }),
    settingCheck("store.versions", checkKeptDays, {
      permission: LIFECYCLE_PERMISSION,
      question: "how long older versions are kept",
      setting: "a lifecycle rule that ends them after some days",
    }),
    settingCheck("store.events", checkNotifications, {
      permission: "s3:GetBucketNotification",
      question: "whether the bucket publishes what happens in it",
      setting: "notifications to a topic of Amazon SNS",
    }),
    {
      name: "store.unsigned_headers",
      run: (signal) => checkUnsignedHeaders(checked, signal),
      explain: (error) => {
        const { message, remedy } = explainStoreFailure(error, { bucket: checked.bucket });
        return wrong(`${checked.bucket}: ${message}`, remedy);
      },
    },
  ];
}

async function checkUploads(
  { probe, bucket, missing }: BucketToCheck,
  signal: AbortSignal,
): Promise<Verdict> {
  const days = uploadsEndAfterDays(await probe.lifecycleRules(bucket, signal));
  const command = `npm run storage -- lifecycle --bucket ${bucket}`;
  if (days === undefined) {
    return missing(
      `${bucket}: no lifecycle rule removes multipart uploads that were never completed; their parts are kept and paid for.`,
      `${command} adds one.`,
    );
  }
  if (days < MAX_UPLOAD_DAYS) {
    return warning(
      `${bucket}: a lifecycle rule ends uploads after ${days} days; visitors can resume them for ${MAX_UPLOAD_DAYS}.`,
      `Set the rule to ${MAX_UPLOAD_DAYS} days in the store's own settings.`,
    );
  }
  return ok(`${bucket}: unfinished multipart uploads are removed by a lifecycle rule.`);
}

/** What is lost without versions depends on what visitors may do. */
async function checkVersioning(
  { probe, bucket, actions, missing }: BucketToCheck,
  signal: AbortSignal,
): Promise<Verdict> {
  const versioning = await probe.versioning(bucket, signal);
  if (versioning === "Enabled") return ok(`${bucket}: keeps versions of what is replaced or deleted.`);
  const state = `versioning is ${versioning === undefined ? "off" : "suspended"}`;
  const lost = actions.has("history")
    ? "the action history shows nothing new, and what visitors replace or delete cannot be restored"
    : "what visitors delete cannot be restored. They are warned before";
  if (!actions.has("history") && !actions.has("delete"))
    return ok(`${bucket}: ${state}, and no visitor may delete files or see their history.`);
  return missing(
    `${bucket}: ${state}, so ${lost}.`,
    `npm run storage -- versioning --bucket ${bucket} switches it on. It says what that costs with --help.`,
  );
}

/** Older versions can be restored, and are paid for, until a lifecycle rule removes them. */
async function checkKeptDays(
  { probe, bucket, missing }: BucketToCheck,
  signal: AbortSignal,
): Promise<Verdict[]> {
  // Versions that were kept until versioning was suspended are still there.
  const versioning = await probe.versioning(bucket, signal).catch(() => undefined);
  if (versioning === undefined) return [];
  const days = keptDays(await probe.lifecycleRules(bucket, signal));
  if (days !== undefined) return [ok(`${bucket}: older versions are kept for ${days} days.`)];
  return [
    missing(
      `${bucket}: keeps every version without end, and each is paid for: no lifecycle rule removes old ones.`,
      `npm run storage -- versioning --bucket ${bucket} --keep-days ${DEFAULT_KEEP_DAYS} adds one.`,
    ),
  ];
}

async function checkNotifications(
  { context, probe, bucket, missing }: BucketToCheck,
  signal: AbortSignal,
): Promise<Verdict> {
  const { storageEventsTopics: topics } = context.env;
  if (topics.length === 0)
    return ok(`${bucket}: STORAGE_EVENTS_TOPICS is not set, so notifications of the bucket are not used.`);
  if (publishesTo(topics, await probe.notifications(bucket, signal)))
    return ok(`${bucket}: publishes what happens in it to a topic of STORAGE_EVENTS_TOPICS.`);
  return missing(
    `${bucket}: does not publish what happens in it to a topic of STORAGE_EVENTS_TOPICS, so what others do to it is not recorded.`,
    `npm run storage -- events --bucket ${bucket}`,
  );
}

interface UnreadableSetting {
  /** what reading it needs */
  permission: string;
  /** what is not known without it */
  question: string;
  /** what to look for in the store's own settings */
  setting: string;
}

/** The service itself does not need to read these settings, and not every store offers it: a refusal is not an error. */
export function explainUnreadableSetting(
  error: unknown,
  bucket: string,
  { permission, question, setting }: UnreadableSetting,
): Verdict {
  const { kind, message, remedy } = explainStoreFailure(error, { bucket, permission });
  if (kind !== "access_denied" && kind !== "not_offered" && kind !== "other") return wrong(message, remedy);
  const look = `Look in the store's settings for ${setting}.`;
  return warning(
    `${bucket}: could not check ${question}. ${message}`,
    kind === "access_denied" ? `Grant ${permission} to have it checked. ${look}` : look,
  );
}
