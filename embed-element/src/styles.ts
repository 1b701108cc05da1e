import { css } from "@lit/reactive-element";

/**
 * The three states, in the colours of the page or else of the embedded pages. Light and dark follow `color-scheme`. The base is laid over
 * the host, whose height may be stretched by a grid or flex parent: a percentage would not see that. So the host has to name
 * its own width.
 *
 * Text is black or white, whichever can be read on the background: `y` is the luminance of the colour that `color(from …)` begins with.
 * Where a browser cannot do that, text is as in the embedded pages.
 *
 * The base has each colour of the page in a property of its own, for readAppearance. In the canvas, which cannot be seen, they change within a
 * millisecond instead of at once: so the element hears of any change, from wherever it comes. Its own width, of which a replaced element
 * gives up what there is no room for, is what a parent sees that is as wide as its content, as in a flex box: else that would be nothing.
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
  :host(:not(:state(fill))) { height: auto; }
  :host(:state(light)) { color-scheme: light; }
  :host(:state(dark)) { color-scheme: dark; }
  [part="base"] {
    --accent: var(--platform-embed-accent, light-dark(#3157e0, #8aa4ff));
    --ground: var(--platform-embed-background, light-dark(#fff, #131417));
    --black: clamp(0, (0.18 - y) * 1e4, 1);
    display: grid;
    position: absolute;
    inset: 0;
    min-height: inherit;
    overflow: hidden;
    color: light-dark(#16181d, #eef0f3);
    background-color: var(--platform-embed-background);
    border-top-color: var(--platform-embed-accent);
    border-left-color: var(--platform-embed-text);
    border-radius: min(24px, var(--platform-embed-radius));
  }
  canvas {
    display: block;
    width: 4000px;
    max-width: 100%;
    height: 0;
    color: var(--platform-embed-accent);
    background: var(--platform-embed-background);
    border-color: var(--platform-embed-text);
    animation: pulse 1ms;
    transition: 1ms;
    transition: 1ms allow-discrete;
  }
  :host(:not(:state(fill))) [part="base"] { position: static; }
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
    font: 0.875rem/1.5 var(--platform-embed-font, system-ui), sans-serif;
    color: color(from var(--ground) xyz var(--black) var(--black) var(--black));
    background: var(--ground);
  }
  .loading { place-content: start stretch; justify-items: start; }
  p { margin: 0; max-width: 32rem; overflow-wrap: anywhere; text-wrap: balance; }
  [part="title"] { font-weight: 600; font-size: 1.125em; }
  button {
    font: inherit;
    padding: 0.5rem 1rem;
    border: 0;
    border-radius: var(--platform-embed-radius, 0.5rem);
    color: color(from var(--accent) xyz var(--black) var(--black) var(--black));
    background: var(--accent);
    cursor: pointer;
  }
  button:focus-visible { outline: 2px solid; outline-offset: -4px; }
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
