/** A certificate that signs itself, made by `openssl`. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Writes a new key and its certificate, valid for 90 days, into `folder`.
 * @param subject as `openssl` takes it, such as `/CN=localhost`
 * @returns the paths of the two PEM files
 */
export async function makeCertificate(
  folder: string,
  subject: string,
): Promise<{ keyFile: string; certificateFile: string }> {
  const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj", subject];
  await promisify(execFile)("openssl", [...request, "-keyout", keyFile, "-out", certificateFile]);
  return { keyFile, certificateFile };
}
