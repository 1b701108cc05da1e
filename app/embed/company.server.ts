import type { Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { shortText } from "../shared/short-text";

const INVALID_COMPANY_ID = "must be the id of a company: 1 to 200 characters, no control characters";

export const companyIdSchema = shortText(200, INVALID_COMPANY_ID);

/** @throws AppError `company_not_found` */
export async function requireCompany(database: Database, id: string): Promise<void> {
  if ((await database.company.count({ where: { id } })) === 0) {
    throw new AppError("company_not_found", "There is no company with this companyId.");
  }
}
