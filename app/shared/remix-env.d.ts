import "@remix-run/node";

// Types loader data as single fetch sends it (dates stay dates, `data()` is unwrapped).
declare module "@remix-run/node" {
  interface Future {
    v3_singleFetch: true;
  }
}
