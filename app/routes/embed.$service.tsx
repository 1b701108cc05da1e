/**
 * `GET /embed/{service}` for a name that is no service with a page: says why nothing is shown. A service's page is a route of its own,
 * `app/services/{service}/page.tsx`.
 */
export { action, headers, loader } from "../http/embed-page-exports";

/** There is no view. */
export default function NoService() {
  return null;
}
