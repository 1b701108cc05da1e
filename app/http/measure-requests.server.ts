import type { RequestHandler } from "express";
import { currentMetrics } from "../telemetry/metrics.server";
import { areTracesOn, traceRequest } from "../telemetry/traces.server";
import { CLIENT_GONE } from "./request-log.server";
import { METHODS, pathOf, routeLabelOf } from "./route-table.server";

/** Middleware: counts and times each request for Prometheus, and makes it a span if traces are on. */
export const measureRequests: RequestHandler = (request, response, next) => {
  const metrics = currentMetrics();
  if (metrics === undefined && !areTracesOn()) {
    next();
    return;
  }
  const started = performance.now();
  const route = routeLabelOf(pathOf(request));
  const method = METHODS.includes(request.method) ? request.method : "(other)";
  const { requestId } = response.locals;
  const trace = traceRequest({ requestId, method, route, headers: request.headers });
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    const status = response.writableFinished ? response.statusCode : CLIENT_GONE;
    metrics?.requests.inc({ route, method, status });
    metrics?.requestSeconds.observe({ route }, (performance.now() - started) / 1000);
    trace?.end(status);
  };
  // "finish" fires before the caller has the response, so a later request for the metrics finds this one counted. If the client
  // disconnects, only "close" fires.
  response.once("finish", end);
  response.once("close", end);
  if (trace === undefined) next();
  else trace.run(next);
};
