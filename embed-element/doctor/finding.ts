/** One line of the report. */
export interface Finding {
  /** which check, for programs: `page.frame-src` */
  check: string;
  /** `warning` is what a person should look at; only `error` keeps the embed from being shown */
  status: "ok" | "warning" | "error";
  message: string;
  /** what to change, naming the header, setting or command */
  remedy?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, status: "ok", message });
export const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: "warning",
  message,
  remedy,
});
export const wrong = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: "error",
  message,
  remedy,
});
