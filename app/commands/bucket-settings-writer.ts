import { isDeepStrictEqual } from "node:util";
import type { CORSRule, LifecycleRule, NotificationConfiguration } from "@aws-sdk/client-s3";
import type { Env } from "../env/env.server";
import { createObjectStore } from "../providers/object-store.server";
import { explainStoreFailure } from "../providers/store-failure.server";
import {
  destinationsInTheWay,
  mergeCorsRules,
  mergeLifecycleRules,
  mergeNotifications,
  publishesTo,
} from "../services/files/bucket-settings.server";
import { AppError } from "../shared/app-error";
import type { Session } from "./run-command";

/** A setting of a bucket, which a store reads and writes as a whole. */
interface Setting<Value> {
  name: string;
  /** the setting in the JSON that the AWS CLI reads and prints */
  print(value: Value): Record<string, object>;
  /** what to do if the store does not support it */
  otherwise: string;
  /** what to do if the store refuses the value */
  ifRefused?: string;
  read(): Promise<Value>;
  /** @param found undefined if it cannot be read */
  merge(found: Value | undefined): Value;
  write(value: Value): Promise<void>;
  /** what else there is to say about it */
  note?(value: Value): string;
}

export type SettingsWriter = ReturnType<typeof createSettingsWriter>;

/** Brings settings of a bucket up to date, and keeps what others have set. `end` prints the result. */
export function createSettingsWriter(
  session: Session,
  env: Env,
  { bucket, dryRun }: { bucket: string; dryRun: boolean },
) {
  const store = createObjectStore(env.objectStore);
  const printed: Record<string, object> = {};
  const failures: StoreFailed[] = [];
  const otherRules = (rules: readonly unknown[], ours: number) =>
    `; other rules kept: ${rules.length - ours}`;

  async function update<Value>(setting: Setting<Value>): Promise<void> {
    const { name, print, read, merge, write, note = () => "" } = setting;
    // After a failure that concerns the whole bucket, nothing else can work.
    if (!failures.every(({ isOfOneSetting }) => isOfOneSetting)) return;
    // Printed even if the present value cannot be read.
    Object.assign(printed, print(merge(undefined)));
    try {
      const found = await read();
      const wanted = merge(found);
      Object.assign(printed, print(wanted));
      const isUpToDate = isDeepStrictEqual(found, wanted);
      if (!isUpToDate && !dryRun) await write(wanted);
      const done = isUpToDate ? "up to date" : dryRun ? "not written" : "written";
      session.console.error(`${bucket}: ${name} ${done}${note(wanted)}.`);
    } catch (error) {
      failures.push(explain(error, `${bucket}: ${name} not ${dryRun ? "read" : "written"}.`, setting));
    }
  }

  return {
    /** @param ours the rule that lets browsers read and write */
    cors: (ours: CORSRule) =>
      update<CORSRule[]>({
        name: "CORS rules",
        print: (CORSRules) => ({ cors: { CORSRules } }),
        otherwise: "Enter the CORS rules above in the store's own settings.",
        read: () => store.corsRules(bucket),
        merge: (found = []) => mergeCorsRules(found, ours),
        write: (rules) => store.putCorsRules(bucket, rules),
        note: (rules) => otherRules(rules, 1),
      }),

    /** @param ours our rules, each with its own id */
    async lifecycle(ours: readonly LifecycleRule[], otherwise: string): Promise<void> {
      let minimumSize: Awaited<ReturnType<typeof store.lifecycle>>["minimumSize"];
      await update<LifecycleRule[]>({
        name: "lifecycle rules",
        print: (Rules) => ({ lifecycle: { Rules } }),
        otherwise,
        async read() {
          const found = await store.lifecycle(bucket);
          minimumSize = found.minimumSize;
          return found.rules;
        },
        merge: (found = []) => mergeLifecycleRules(found, ours),
        write: (rules) => store.putLifecycle(bucket, { rules, minimumSize }),
        note: (rules) => otherRules(rules, ours.length),
      });
    },

    /** Switches versioning on. */
    versioning: () =>
      update<string>({
        name: "versioning",
        print: (Status) => ({ versioning: { Status } }),
        otherwise:
          "This store keeps no versions, so nothing that is deleted or replaced can be brought back.",
        read: () => store.versioning(bucket),
        merge: () => "Enabled",
        write: () => store.enableVersioning(bucket),
      }),

    /**
     * @param topics ARNs; the bucket publishes to the first one if it publishes to none of them
     * @param receiver the URL that the topic delivers to
     */
    notifications: (topics: readonly [string, ...string[]], receiver: string) =>
      update<NotificationConfiguration>({
        name: "notifications",
        print: (notifications) => ({ notifications }),
        otherwise: `This store does not publish to topics of Amazon SNS. ${WITHOUT_NOTIFICATIONS}`,
        ifRefused: `Look whether the topic ${topics[0]} exists in the bucket's region and lets Amazon S3 publish to it.`,
        read: () => store.notifications(bucket),
        merge(found = {}) {
          const inTheWay = publishesTo(topics, found) ? [] : destinationsInTheWay(found);
          if (inTheWay.length > 0) throw new NotificationsInTheWay(bucket, inTheWay);
          return mergeNotifications(found, topics);
        },
        write: (notifications) => store.putNotifications(bucket, notifications),
        note: () => `; the topic must deliver to ${receiver}`,
      }),

    /** @throws Error if anything failed */
    end(): void {
      session.console.log(JSON.stringify(printed, null, 2));
      if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join("\n"));
    },
  };
}

interface StoreFailed {
  message: string;
  /** whether other settings may still be written */
  isOfOneSetting: boolean;
}

const WITHOUT_NOTIFICATIONS =
  "Without notifications, npm run cleanup finds the uploads that no browser reported; what others do to the bucket is not recorded.";

class NotificationsInTheWay extends Error {
  constructor(bucket: string, destinations: readonly string[]) {
    super(
      `${bucket}: notifications not written. They go to ${destinations.join(", ")} already, and Amazon S3 publishes each event to one ` +
        "destination only. If that is a topic, subscribe this service to it and add it to STORAGE_EVENTS_TOPICS. Otherwise let the bucket " +
        "publish to a topic, and subscribe both to that.",
    );
  }
}

/** The store's own message, and what to do. Unlike a caller of the API, an operator may see it. */
function explain(
  error: unknown,
  what: string,
  { otherwise, ifRefused }: Pick<Setting<never>, "otherwise" | "ifRefused">,
): StoreFailed {
  if (error instanceof NotificationsInTheWay) return { message: error.message, isOfOneSetting: true };
  if (!(error instanceof AppError)) throw error;
  const { kind } = explainStoreFailure(error.cause);
  const remedy = kind === "not_offered" ? otherwise : kind === "other" ? ifRefused : undefined;
  const message = [what, error.logDetail ?? error.message, remedy].filter(Boolean).join(" ");
  return { message, isOfOneSetting: ["access_denied", "not_offered", "other"].includes(kind) };
}
