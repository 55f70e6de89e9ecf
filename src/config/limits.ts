import type { Reader } from './reader.ts'

/** Requests in a minute by policy; 0 switches a policy off. */
export interface RateLimits {
  /** Every request of an address, before anything else is looked at. */
  address: number
  /** Requests to `/api/auth` of an address. */
  tokensPerAddress: number
  /** Every request of a signed-in caller. */
  caller: number
  /** Requests of a caller to `/api/auth`. */
  tokens: number
  /** Claims and redemptions of a caller. */
  claims: number
  /** Purchases, payments and openings of a caller. */
  purchases: number
}

export interface LimitsConfig {
  rates: Readonly<RateLimits>
  /** Purchases of one pack that a fan may have pending at once; 0: as many as the supply has. */
  holdsPerFan: number
  /** How long a write may have to wait for the database; one that would wait longer is refused. Milliseconds. */
  maxWriteWaitMs: number
}

/** Nobody trips over it on a laptop, yet the headers are there to be seen. */
const GENEROUS = 1_000_000
const MAX_RATE = 1_000_000_000

export function readLimitsConfig(reader: Reader): Readonly<LimitsConfig> {
  const rate = (name: string, inProduction: number) =>
    reader.integer(name, reader.production ? inProduction : GENEROUS, 0, MAX_RATE)
  return Object.freeze({
    rates: Object.freeze({
      // A stadium's fans share the few addresses of its network, and a carrier's those of the carrier.
      address: rate('RATE_LIMIT_ADDRESS', 6_000),
      tokensPerAddress: rate('RATE_LIMIT_TOKENS_PER_ADDRESS', 1_200),
      caller: rate('RATE_LIMIT_CALLER', 600),
      tokens: rate('RATE_LIMIT_TOKENS', 30),
      claims: rate('RATE_LIMIT_CLAIMS', 60),
      purchases: rate('RATE_LIMIT_PURCHASES', 60),
    }),
    holdsPerFan: reader.integer('PACK_HOLDS_PER_FAN', 5, 0, 1_000_000),
    maxWriteWaitMs: reader.integer('MAX_WRITE_WAIT_MS', 4_000, 10, 60_000),
  })
}
