import { css } from "lit";

/**
 * The base and the overlay, in the colours of the embedding page, or else of the frame. Light and dark follow `color-scheme`.
 *
 * Width: the base is positioned absolutely, because a percentage height would ignore that a grid or flex parent stretches the
 * host. So the base gives the host no width. In a parent that is as wide as its content, the canvas does: as a replaced
 * element it shrinks to the space that is available. Without it the host would be 0 pixels wide there.
 *
 * Text in the overlay is black or white, whichever can be read on the background: `y` is the luminance of the colour after
 * `from`. Browsers without relative colours use the text colour of the frame.
 *
 * Appearance: the base has each of the page's colours in a CSS property of its own, from which `readAppearance` gets the
 * computed value. The canvas, which is invisible, uses all of them with a transition of one millisecond, so that a change
 * fires `transitionrun` wherever it comes from: a class, a style sheet, the system's theme. Its animation fires
 * `animationstart` when a hidden element is shown.
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
    --background: var(--platform-embed-background, light-dark(#fff, #131417));
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
    color: color(from var(--background) xyz var(--black) var(--black) var(--black));
    background: var(--background);
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
  .visually-hidden, .ready { position: absolute; clip-path: inset(50%); }
`;
