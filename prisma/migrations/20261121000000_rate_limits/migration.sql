-- Counts of requests, for RATE_LIMIT_STORE=postgres; in the columns that rate-limiter-flexible asks for. A crash may lose them: that is a
-- minute's counts, and not writing them to the log makes each of them cheaper.
CREATE UNLOGGED TABLE "rate_limits" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("key")
);
