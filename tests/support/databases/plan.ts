import { query } from "./postgres";

interface Plan {
  "Node Type": string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Runs a statement. @returns the indexes and nodes of its plan, the most rows that one of its scans has read, and those of all together */
export async function readPlan(url: string, statement: string, values: readonly unknown[]) {
  const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`;
  const [row] = await query<{ "QUERY PLAN": [{ Plan: Plan }] }>(url, explain, [...values]);
  const nodes = nodesOf(row?.["QUERY PLAN"][0].Plan as Plan);
  const rowsOf = (plan: Plan) =>
    (plan["Actual Rows"] +
      (plan["Rows Removed by Filter"] ?? 0) +
      (plan["Rows Removed by Index Recheck"] ?? 0)) *
    plan["Actual Loops"];
  const scans = nodes.filter((node) => node["Node Type"].includes("Scan"));
  const counts = scans.map(rowsOf);
  // The rows that it finds are read by the heap scan above it.
  const heaps = scans.filter((node) => node["Node Type"] !== "Bitmap Index Scan");
  return {
    indexes: [...new Set(scans.flatMap((node) => node["Index Name"] ?? []))],
    nodes: nodes.map((node) => node["Node Type"]),
    read: Math.max(...counts),
    readByAll: heaps.map(rowsOf).reduce((sum, count) => sum + count, 0),
  };
}
