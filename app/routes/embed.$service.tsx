/**
 * `GET /embed/{service}` for a name that is no service with a page: says why nothing is shown. A service's page is a route of its own,
 * `app/services/{service}/page.tsx`.
 */
export { action, default, headers, loader, meta } from "../http/embed-page-exports";
