import { z } from "zod";
import { AppError } from "../app-error";
import type { Database } from "../providers/database.server";

export const companyIdSchema = z
  .string()
  .regex(/^\P{Cc}{1,200}$/u, "must be the id of a company: 1 to 200 characters, no control characters");

/** @throws AppError `company_not_found` */
export async function requireCompany(database: Database, id: string): Promise<void> {
  if ((await database.company.count({ where: { id } })) === 0) {
    throw new AppError("company_not_found", "There is no company with this companyId.");
  }
}
