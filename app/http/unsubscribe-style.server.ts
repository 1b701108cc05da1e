import { hash } from "node:crypto";

/** The whole look of the page on which a campaign's recipient unsubscribes; the colours are the explorer's. It loads nothing. */
export const unsubscribeStyle = `
:root{color-scheme:light dark;--ground:light-dark(#f6f7f9,#131417);--card:light-dark(#fff,#1b1d21);--line:light-dark(#e6e8ec,#2a2c33);
--ink:light-dark(#16181d,#eef0f3);--soft:light-dark(#555b67,#a9afbb);--accent:light-dark(#3157e0,#8aa4ff);--hover:light-dark(#2748c4,#a2b7ff);
--on-accent:light-dark(#fff,#10131f);--control:light-dark(#7f8591,#757b87)}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:grid;place-items:safe center;padding:16px;background:var(--ground);color:var(--ink);
font:16px/24px -apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif}
main{width:100%;max-width:440px;padding:32px 24px;border:1px solid var(--line);border-radius:12px;background:var(--card);text-align:center}
h1{margin:0;font-size:20px;line-height:28px;text-wrap:balance}
p{margin:8px 0 0;color:var(--soft);text-wrap:pretty;overflow-wrap:anywhere}
form{margin:24px 0 0}
button{min-height:44px;padding:9px 20px;border:1px solid var(--accent);border-radius:8px;background:var(--accent);color:var(--on-accent);
font:inherit;font-weight:600;cursor:pointer}
button:hover{border-color:var(--hover);background:var(--hover)}
button.quiet{border-color:var(--control);background:none;color:var(--ink)}
button.quiet:hover{border-color:var(--ink)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
:lang(ja){word-break:auto-phrase}
`;

/** No script, no image, nobody's frame, and a form that goes nowhere else. */
export const UNSUBSCRIBE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", unsubscribeStyle, "base64")}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");
