import { AppError } from "../app-error";

export function notFound(): AppError {
  return new AppError("not_found", "There is nothing at this address.");
}
