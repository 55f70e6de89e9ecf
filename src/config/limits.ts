import type { Reader } from './reader.ts'

/** Maximum requests per minute of each policy; 0 disables the policy. */
export interface RateLimits {
  /** All requests of a network address, counted before authentication. */
  address: number
  /** Requests of a network address to `/api/auth`. */
  tokensPerAddress: number
  /** All requests of an authenticated caller. */
  caller: number
  /** Requests of a caller to `/api/auth`. */
  tokens: number
  /** Claims and redemptions of a caller. */
  claims: number
  /** Purchases, payments and openings of a caller. */
  purchases: number
  /** All requests of a source, which is a system with a server key. */
  source: number
  /** Redemption codes that a source looks up or uses. */
  redemptions: number
}

export interface LimitsConfig {
  rates: Readonly<RateLimits>
  /** Maximum pending purchases of one pack per fan; 0: no limit. */
  holdsPerFan: number
  /** Maximum open streams of this process, and of one fan in this process. */
  streams: number
  streamsPerFan: number
  /** A write that would wait longer for the database is refused. Milliseconds. */
  maxWriteWaitMs: number
}

/** Never reached in development, but the rate-limit headers are sent. */
const DEVELOPMENT_RATE = 1_000_000
const MAX_RATE = 1_000_000_000

export function readLimitsConfig(reader: Reader): Readonly<LimitsConfig> {
  const rate = (name: string, inProduction: number) =>
    reader.integer(name, reader.production ? inProduction : DEVELOPMENT_RATE, 0, MAX_RATE)
  return Object.freeze({
    rates: Object.freeze({
      // Fans in a stadium or at one mobile carrier share a few addresses.
      address: rate('RATE_LIMIT_ADDRESS', 6_000),
      tokensPerAddress: rate('RATE_LIMIT_TOKENS_PER_ADDRESS', 1_200),
      caller: rate('RATE_LIMIT_CALLER', 600),
      tokens: rate('RATE_LIMIT_TOKENS', 30),
      claims: rate('RATE_LIMIT_CLAIMS', 60),
      purchases: rate('RATE_LIMIT_PURCHASES', 60),
      source: rate('RATE_LIMIT_SOURCE', 6_000),
      redemptions: rate('RATE_LIMIT_REDEMPTIONS', 300),
    }),
    holdsPerFan: reader.integer('PACK_HOLDS_PER_FAN', 5, 0, 1_000_000),
    streams: reader.integer('MAX_STREAMS', 10_000, 0, 1_000_000),
    streamsPerFan: reader.integer('MAX_STREAMS_PER_FAN', 10, 1, 1_000),
    maxWriteWaitMs: reader.integer('MAX_WRITE_WAIT_MS', 4_000, 10, 60_000),
  })
}
