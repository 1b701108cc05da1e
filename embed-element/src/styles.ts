import { css } from "lit";

/**
 * The three states, in the colours of the embedded pages. Light and dark follow `color-scheme`. The base is laid over the
 * host, whose height may be stretched by a grid or flex parent: a percentage would not see that. So the host has to name
 * its own width.
 */
export const styles = css`
  :host {
    display: block;
    position: relative;
    box-sizing: border-box;
    width: 100%;
    height: 100%;
    min-height: var(--platform-embed-min-height, 20rem);
    border-radius: var(--platform-embed-radius, 0);
    overflow: hidden;
    color-scheme: light dark;
  }
  :host([hidden]) { display: none; }
  :host([height]:not([height="fill"])) { height: auto; }
  :host([theme="light"]) { color-scheme: light; }
  :host([theme="dark"]) { color-scheme: dark; }
  [part="base"] { display: grid; position: absolute; inset: 0; min-height: inherit; }
  :host([height]:not([height="fill"])) [part="base"] { position: static; }
  iframe, [part="overlay"] {
    grid-area: 1 / 1;
    box-sizing: border-box;
    width: 100%;
    height: 100%;
    border: 0;
  }
  [part="overlay"] {
    display: grid;
    place-content: center;
    justify-items: center;
    gap: 0.75rem;
    padding: 1.5rem;
    text-align: center;
    font: var(--platform-embed-font, 0.875rem/1.5 system-ui, sans-serif);
    color: var(--platform-embed-color, light-dark(#16181d, #eef0f3));
    background: var(--platform-embed-background, light-dark(#fff, #131417));
  }
  .loading { place-content: start stretch; justify-items: start; }
  p { margin: 0; max-width: 32rem; overflow-wrap: anywhere; text-wrap: balance; }
  [part="title"] { font-weight: 600; font-size: 1.125em; }
  [part="detail"], code { color: color-mix(in srgb, currentColor 75%, transparent); }
  code:empty { display: none; }
  button {
    font: inherit;
    padding: 0.5rem 1rem;
    border: 0;
    border-radius: 0.5rem;
    color: light-dark(#fff, #10131f);
    background: var(--platform-embed-accent, light-dark(#3157e0, #8aa4ff));
    cursor: pointer;
  }
  button:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
  i {
    width: 100%;
    height: 1.5rem;
    border-radius: 0.375rem;
    background: currentColor;
    opacity: 0.1;
    animation: pulse 1.2s ease-in-out infinite alternate;
  }
  i:first-of-type { width: 40%; }
  @keyframes pulse { to { opacity: 0.05; } }
  @media (prefers-reduced-motion: reduce) { i { animation: none; } }
  [part="announcement"], .ready { position: absolute; clip-path: inset(50%); }
`;
