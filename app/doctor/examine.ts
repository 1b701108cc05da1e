import { createDatabase } from "../providers/database.server";
import { checkAddresses } from "./addresses";
import { checkClusters } from "./clusters";
import { type CheckGroup, findLiveClients } from "./context";
import { checkDatabase } from "./database";
import { readEnvironment } from "./environment";
import { type Finding, found, type Limits, type Verdict, warning } from "./finding";
import { checkMail } from "./mail";
import { checkQueue } from "./queue";
import { checkStore } from "./store";

interface Group {
  /** variables without which there is nothing to ask */
  needs: string[];
  check: CheckGroup;
}

const KEYS = ["CLOUD_REGION", "CLOUD_ACCESS_KEY_ID", "CLOUD_SECRET_ACCESS_KEY"];
const groups: Record<string, Group> = {
  database: { needs: ["POSTGRES_URL", "POSTGRES_POOL_SIZE"], check: checkDatabase },
  store: { needs: [...KEYS, "CLOUD_S3_ENDPOINT", "CLOUD_S3_FORCE_PATH_STYLE"], check: checkStore },
  mail: { needs: [...KEYS, "CLOUD_SES_ENDPOINT", "EMAIL_FROM"], check: checkMail },
  clusters: { needs: [...KEYS, "CLOUD_RDS_DATA_ENDPOINT"], check: checkClusters },
  queue: {
    needs: ["QUEUE_VERIFY", "QUEUE_CURRENT_SIGNING_KEY", "QUEUE_NEXT_SIGNING_KEY"],
    check: checkQueue,
  },
  addresses: { needs: ["API_BASE_URL", "PLATFORM_BASE_URL"], check: checkAddresses },
};

/** What `--only` can name, in the order of the report. */
export const groupNames = ["environment", ...Object.keys(groups)];

export interface ExaminedGroup {
  name: string;
  findings: Finding[];
}

/**
 * Runs the named groups of checks side by side, and hands each over in the order of the report as soon as it is there.
 * Changes nothing but an object of its own in each bucket, which it removes.
 */
export async function* examine(
  names: readonly string[],
  source: Record<string, string | undefined>,
  limits: Limits,
): AsyncGenerator<ExaminedGroup> {
  const { findings, env, unusable } = readEnvironment(source);
  if (names.includes("environment")) yield { name: "environment", findings: found("environment", findings) };
  const chosen = Object.entries(groups).filter(([name]) => names.includes(name));
  if (env === undefined) {
    for (const [name] of chosen) yield { name, findings: found(name, notChecked("the environment")) };
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
      const verdicts =
        missing.length > 0
          ? notChecked(missing.join(", "))
          : check({ env, source, limits, database, liveClients });
      return { name, verdicts };
    });
    for (const { name, verdicts } of running)
      yield { name, findings: withoutRepeats(found(name, await verdicts)) };
  } finally {
    await database.$disconnect();
  }
}

/** One cause may stop several checks, which then say the same: it is said, and counted, once. */
function withoutRepeats(findings: Finding[]): Finding[] {
  return findings.filter(
    ({ message, remedy }, index) =>
      findings.findIndex((other) => other.message === message && other.remedy === remedy) === index,
  );
}

function notChecked(what: string): Verdict {
  return warning(
    `Not checked, for want of ${what}.`,
    "Mend what is wrong with the environment, then run this again.",
  );
}
