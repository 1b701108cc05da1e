import {
  type Finding,
  type Limits,
  toFindings,
  type Verdict,
  warning,
} from "../../embed-element/doctor/report";
import type { EnvVariables } from "../env/env.server";
import { createDatabase } from "../providers/database.server";
import { checkAddresses } from "./addresses";
import { checkCatalogues } from "./catalogues";
import { checkClusters } from "./clusters";
import { type CheckGroup, findLiveClients } from "./context";
import { checkCredentials } from "./credentials";
import { checkDatabase } from "./database";
import { readEnvironment } from "./environment";
import { checkMail } from "./mail";
import { checkQueue } from "./queue";
import { checkStore } from "./store";
import { checkTelemetry } from "./telemetry";
import { checkWebhooks } from "./webhooks";

interface Group {
  /** for `--help` */
  summary: string;
  /** variables without which there is nothing to ask */
  needs: string[];
  check: CheckGroup;
}

const KEYS = [
  "CLOUD_REGION",
  "CLOUD_CREDENTIALS",
  "CLOUD_ASSUME_ROLE_ARN",
  "CLOUD_ACCESS_KEY_ID",
  "CLOUD_SECRET_ACCESS_KEY",
  "CLOUD_SESSION_TOKEN",
];

/** In the order of the report. */
const groups: Record<string, Group> = {
  database: {
    summary: "PostgreSQL answers, is migrated, has its clock in sync, and its embed clients are usable",
    needs: ["POSTGRES_URL", "POSTGRES_POOL_SIZE"],
    check: checkDatabase,
  },
  credentials: {
    summary: "the role or key that signs for the store, e-mail and clusters: whose it is, and when it ends",
    needs: KEYS,
    check: checkCredentials,
  },
  store: {
    summary: "the object store answers; each client's bucket can be listed, written and read by browsers",
    needs: [...KEYS, "CLOUD_S3_ENDPOINT", "CLOUD_S3_FORCE_PATH_STYLE"],
    check: checkStore,
  },
  mail: {
    summary: "Amazon SES sends for this account, from EMAIL_FROM",
    needs: [...KEYS, "CLOUD_SES_ENDPOINT", "EMAIL_FROM"],
    check: checkMail,
  },
  clusters: {
    summary: "each cluster runs statements through the Data API",
    needs: [...KEYS, "CLOUD_RDS_DATA_ENDPOINT"],
    check: checkClusters,
  },
  queue: {
    summary: "deliveries are verified with the queue's keys, and the queue accepts the token",
    needs: ["QUEUE_VERIFY", "QUEUE_CURRENT_SIGNING_KEY", "QUEUE_NEXT_SIGNING_KEY"],
    check: checkQueue,
  },
  webhooks: {
    summary: "webhooks are sent in time, and their receivers accept them",
    needs: ["POSTGRES_URL", "POSTGRES_POOL_SIZE"],
    check: checkWebhooks,
  },
  catalogues: {
    summary: "the catalogues of buckets are used, and scanned in time",
    needs: ["POSTGRES_URL", "POSTGRES_POOL_SIZE", "CATALOGUE_MAX_LAG_SECONDS"],
    check: checkCatalogues,
  },
  addresses: {
    summary: "both base URLs lead to this service, with valid certificates",
    needs: ["API_BASE_URL", "PLATFORM_BASE_URL"],
    check: checkAddresses,
  },
  telemetry: {
    summary: "there are metrics; the collector of traces accepts them",
    needs: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
    check: checkTelemetry,
  },
};

/** The groups that `--only` accepts, with their summaries. */
export const groupSummaries: Readonly<Record<string, string>> = {
  environment: "every variable is valid",
  ...Object.fromEntries(Object.entries(groups).map(([name, { summary }]) => [name, summary])),
};

interface ExaminedGroup {
  name: string;
  findings: Finding[];
}

/**
 * Runs the named groups of checks at the same time, and yields each, in the order of the report, as soon as it is known.
 * Changes nothing but an object of its own in each bucket, which it removes.
 */
export async function* examine(
  names: readonly string[],
  variables: EnvVariables,
  limits: Limits,
): AsyncGenerator<ExaminedGroup> {
  const { verdicts, env, unusable } = readEnvironment(variables);
  if (names.includes("environment"))
    yield { name: "environment", findings: toFindings("environment", verdicts) };
  const chosen = Object.entries(groups).filter(([name]) => names.includes(name));
  if (env === undefined) {
    for (const [name] of chosen) yield { name, findings: toFindings(name, notChecked("the environment")) };
    return;
  }
  const database = createDatabase({ ...env.postgres, poolSize: 4 });
  let clients: ReturnType<typeof findLiveClients> | undefined;
  const liveClients = () => {
    clients ??= findLiveClients(database);
    return clients;
  };
  try {
    const running = chosen.map(([name, { needs, check }]) => {
      const missing = needs.filter((variable) => unusable.has(variable));
      const result =
        missing.length > 0
          ? notChecked(missing.join(", "))
          : check({ env, variables, limits, database, liveClients });
      return { name, result };
    });
    for (const { name, result } of running)
      yield { name, findings: withoutRepeats(toFindings(name, await result)) };
  } finally {
    await database.$disconnect();
  }
}

/** One cause may fail several checks, which then all say the same: it is reported once. */
function withoutRepeats(findings: Finding[]): Finding[] {
  return findings.filter(
    ({ message, remedy }, index) =>
      findings.findIndex((other) => other.message === message && other.remedy === remedy) === index,
  );
}

function notChecked(missing: string): Verdict {
  return warning(
    `Not checked, because ${missing} cannot be used.`,
    "Fix the environment, then run this again.",
  );
}
