/**
 * `GET /embed/{service}` where no service has its page: the state that says why not. A service's page is a route of its own,
 * `app/services/{service}/page.tsx`. This one is of the server alone, because a refused page loads no script.
 */
export { action, default, headers, loader, meta } from "../http/refused-embed-route.server";
