import config from "../../../remix.config.js";

/** The smallest Remix app there is, compiled as ours is: what every request to Remix costs before anything is done. */
export default config;
