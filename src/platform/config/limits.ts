import type { EnvironmentReader } from './environment.ts'

/** Never reached in development, but the rate-limit headers are sent. */
const DEVELOPMENT_RATE = 1_000_000
const MAX_RATE = 1_000_000_000

export type RateLimits = ReturnType<typeof readRates>

/** Maximum requests per minute of each policy; 0 disables the policy. */
function readRates(reader: EnvironmentReader) {
  const rate = (name: string, inProduction: number) =>
    reader.integer(name, reader.production ? inProduction : DEVELOPMENT_RATE, 0, MAX_RATE)
  return Object.freeze({
    /** All requests of a network address, before authentication. Fans in a stadium or at one carrier share a few. */
    address: rate('RATE_LIMIT_ADDRESS', 6_000),
    /** Refused refresh tokens of a network address. */
    tokensPerAddress: rate('RATE_LIMIT_TOKENS_PER_ADDRESS', 1_200),
    /** All requests of an authenticated caller. */
    caller: rate('RATE_LIMIT_CALLER', 600),
    /** Requests of a caller to `/api/auth`. */
    tokens: rate('RATE_LIMIT_TOKENS', 30),
    /** Claims and redemptions of a caller. */
    claims: rate('RATE_LIMIT_CLAIMS', 60),
    /** Purchases, payments and openings of a caller. */
    purchases: rate('RATE_LIMIT_PURCHASES', 60),
    /** Pictures that a caller or a source uploads. */
    uploads: rate('RATE_LIMIT_UPLOADS', 20),
    /** Follows, mutes, blocks, lockers and changes of privacy of a caller. */
    relations: rate('RATE_LIMIT_RELATIONS', 60),
    /** Reports about others of a caller. */
    reports: rate('RATE_LIMIT_REPORTS', 10),
    /** Offers of trades, and what fans decide about them. */
    trades: rate('RATE_LIMIT_TRADES', 60),
    /** Challenges for wallets, and links of wallets. */
    wallets: rate('RATE_LIMIT_WALLETS', 20),
    /** All requests of a source, which is a system with a server key. */
    source: rate('RATE_LIMIT_SOURCE', 6_000),
    /** Redemption codes that a source looks up or uses. */
    redemptions: rate('RATE_LIMIT_REDEMPTIONS', 300),
  })
}

/** How many bodies may be unfinished: begun, and not yet arrived as a whole. */
export interface BodyBudget {
  count: number
  /** That have arrived of bodies of more than 64 KiB. */
  bytes: number
  countPerAddress: number
  bytesPerAddress: number
}

const MEBIBYTE = 1_048_576

/** At least four bodies of the largest size, since a quarter is for operations without a caller. */
function readBodyBudget(reader: EnvironmentReader): BodyBudget {
  const bytes = (name: string, fallback: number) =>
    reader.integer(name, fallback, 4 * MEBIBYTE, 1_024 * MEBIBYTE)
  return Object.freeze({
    count: reader.integer('MAX_UNFINISHED_BODIES', 4_096, 4, 1_000_000),
    bytes: bytes('MAX_UNFINISHED_BODY_BYTES', 64 * MEBIBYTE),
    countPerAddress: reader.integer('MAX_UNFINISHED_BODIES_PER_ADDRESS', 256, 4, 1_000_000),
    bytesPerAddress: bytes('MAX_UNFINISHED_BODY_BYTES_PER_ADDRESS', 16 * MEBIBYTE),
  })
}

export const readLimitsConfig = (reader: EnvironmentReader) =>
  Object.freeze({
    rates: readRates(reader),
    /** Maximum pending purchases of one pack per fan; 0: no limit. */
    holdsPerFan: reader.integer('PACK_HOLDS_PER_FAN', 5, 0, 1_000_000),
    /** Maximum open offers of trades that a fan has made. */
    openTradesPerFan: reader.integer('OPEN_TRADES_PER_FAN', 20, 1, 1_000),
    /** Maximum orders of a fan that are not paid yet. */
    openOrdersPerFan: reader.integer('OPEN_ORDERS_PER_FAN', 10, 1, 1_000),
    /** How long an item rests after it changed hands. Milliseconds. */
    tradeRestMs: reader.integer('TRADE_REST_HOURS', 24, 0, 8_760) * 3_600_000,
    /** Maximum open streams of fans in this process, and of one fan. */
    streams: reader.integer('MAX_STREAMS', 10_000, 0, 1_000_000),
    streamsPerFan: reader.integer('MAX_STREAMS_PER_FAN', 10, 1, 1_000),
    unfinishedBodies: readBodyBudget(reader),
    /** Maximum open streams without a token in this process, and of one network address. Fans at one carrier share a few. */
    publicStreams: reader.integer('MAX_PUBLIC_STREAMS', 10_000, 0, 1_000_000),
    publicStreamsPerAddress: reader.integer('MAX_PUBLIC_STREAMS_PER_ADDRESS', 500, 1, 1_000_000),
    /** A write that would wait longer for the database is refused. Milliseconds. */
    maxWriteWaitMs: reader.integer('MAX_WRITE_WAIT_MS', 4_000, 10, 60_000),
  })
