/** What the embed page makes a browser load, gzip, read off the page itself. Aim: at most 110 kB of JavaScript. */
import { gzipSync } from "node:zlib";
import { issueEmbedUrl, makeEmbedClient } from "../support/embed-client";
import { startTestStack } from "../support/stack";

export async function run(): Promise<void> {
  const stack = await startTestStack();
  try {
    const { url } = await issueEmbedUrl(stack.info, await makeEmbedClient(stack.info));
    const page = await fetch(url, { headers: { Referer: `${stack.info.demoClient.origin}/` } });
    const html = await page.text();
    const scripts = new Set(html.match(/\/build\/[\w./$-]+\.js/g));
    const styles = new Set(html.match(/\/build\/[\w./$-]+\.css/g));
    const sizeOf = async (path: string) => {
      const answer = await fetch(stack.info.platformBaseUrl + path);
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
      return gzipSync(Buffer.from(await answer.arrayBuffer()), { level: 9 }).length;
    };
    const total = async (paths: Set<string>) => {
      let sum = 0;
      for (const path of paths) sum += await sizeOf(path);
      return sum;
    };
    const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
    console.log(`JavaScript ${kilobytes(await total(scripts))} in ${scripts.size} files`);
    console.log(`styles     ${kilobytes(await total(styles))} in ${styles.size} files`);
    console.log(`HTML       ${kilobytes(gzipSync(html).length)}`);
    console.log(`element    ${kilobytes(await sizeOf("/platform-embed.js"))}, loaded by the page around it`);
  } finally {
    await stack.close();
  }
}
