import type { EnvironmentReader } from './environment.ts'

/** Never reached in development, but the rate-limit headers are sent. */
const DEVELOPMENT_RATE = 1_000_000
const MAX_RATE = 1_000_000_000

/** Maximum requests of each policy in a window of a minute, or of `LONGER_WINDOWS`, in production; 0 disables the policy. */
const IN_PRODUCTION = {
  /** All requests of a network address, before authentication. Fans in a stadium or at one carrier share a few. */
  address: 6_000,
  /** Refused refresh tokens of a network address. */
  tokensPerAddress: 1_200,
  /** All requests of an authenticated caller. */
  caller: 600,
  /** Requests of a caller to `/api/auth`. */
  tokens: 30,
  /** Claims and redemptions of a caller. */
  claims: 60,
  /** Purchases, payments and openings of a caller. */
  purchases: 60,
  /** Pictures that a caller or a source uploads. */
  uploads: 20,
  /** Follows, mutes, blocks, lockers and changes of privacy of a caller. */
  relations: 60,
  /** Reports about others of a caller. */
  reports: 10,
  /** Offers of trades, and what fans decide about them. */
  trades: 60,
  /** Challenges for wallets, and links of wallets. */
  wallets: 20,
  /** All requests of a source, which is a system with a server key. */
  source: 6_000,
  /** Redemption codes that a source looks up or uses. */
  redemptions: 300,
  /** Unknown codes of campaigns that a caller enters. */
  codes: 10,
  /** As `codes`, of a network address. */
  codesPerAddress: 100,
  /** Attempts to name an order, or an e-mail address, for a withdrawal without sign-in. */
  withdrawals: 20,
  /** As `withdrawals`, of a network address. */
  withdrawalsPerAddress: 100,
  /** Notices of illegal content, of everybody: anyone can send them. */
  notices: 300,
  /** As `notices`, of a network address. */
  noticesPerAddress: 20,
}

export type RateLimits = Readonly<typeof IN_PRODUCTION>
type Policy = keyof RateLimits

/** Minutes of windows that are not one minute. */
export const LONGER_WINDOWS: Readonly<Partial<Record<Policy, number>>> = {
  codes: 10,
  codesPerAddress: 10,
  withdrawals: 60,
  withdrawalsPerAddress: 60,
  notices: 60,
  noticesPerAddress: 60,
}
/** In development as well: they count what is guessed. */
const ALWAYS: readonly Policy[] = ['codes', 'codesPerAddress', 'withdrawals', 'withdrawalsPerAddress']

// Guarantee of the cast: the names of an object without symbols.
const POLICIES = Object.keys(IN_PRODUCTION) as Policy[]
/** Policies with a variable of their own, since installations differ in them. */
const VARIABLES: Readonly<Partial<Record<Policy, string>>> = {
  address: 'RATE_LIMIT_ADDRESS',
  caller: 'RATE_LIMIT_CALLER',
  source: 'RATE_LIMIT_SOURCE',
}
/** Policies of `RATE_LIMITS`. */
const LISTED = POLICIES.filter(policy => VARIABLES[policy] === undefined)

function readRates(reader: EnvironmentReader): RateLimits {
  const listed = readListedRates(reader)
  const rateOf = (policy: Policy) => {
    const isLimited = reader.production || ALWAYS.includes(policy)
    const fallback = isLimited ? IN_PRODUCTION[policy] : DEVELOPMENT_RATE
    const variable = VARIABLES[policy]
    return variable === undefined
      ? (listed.get(policy) ?? fallback)
      : reader.integer(variable, fallback, 0, MAX_RATE)
  }
  // Guarantee of the cast: an entry for each policy.
  return Object.freeze(Object.fromEntries(POLICIES.map(policy => [policy, rateOf(policy)]))) as RateLimits
}

/** `claims=60,trades=120`. Says which item is wrong, and not what it is. */
function readListedRates(reader: EnvironmentReader): ReadonlyMap<Policy, number> {
  const name = 'RATE_LIMITS'
  const rates = new Map<Policy, number>()
  for (const [index, item] of reader.list(name, ',').entries()) {
    const [key = '', value = '', ...more] = item.split('=').map(part => part.trim())
    const policy = LISTED.find(known => known === key)
    const rate = /^\d+$/.test(value) && more.length === 0 ? Number(value) : Number.NaN
    const refuse = (why: string) => reader.refuse(name, `item ${index + 1} ${why}`)
    if (policy === undefined) refuse(`must begin with one of ${LISTED.map(known => `${known}=`).join(', ')}`)
    else if (rates.has(policy)) refuse(`repeats ${policy}`)
    else if (!(rate <= MAX_RATE)) refuse(`must be ${policy}= and a whole number from 0 to ${MAX_RATE}`)
    else rates.set(policy, rate)
  }
  return rates
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

/**
 * The largest body, of 6 MiB, fits ten times, and more than twice into the share of an address. Constants: phones send bodies of less
 * than 64 KiB, so installations with more fans have more processes, and not larger budgets.
 */
const UNFINISHED_BODIES: BodyBudget = Object.freeze({
  count: 4_096,
  bytes: 64 * MEBIBYTE,
  countPerAddress: 256,
  bytesPerAddress: 16 * MEBIBYTE,
})

/** More than the tabs and devices of a person; a client that opens more has a defect. */
const STREAMS_PER_FAN: number = 10

export const readLimitsConfig = (reader: EnvironmentReader) =>
  Object.freeze({
    rates: readRates(reader),
    /** Maximum open streams of fans in this process, and of one fan. */
    streams: reader.integer('MAX_STREAMS', 10_000, 0, 1_000_000),
    streamsPerFan: STREAMS_PER_FAN,
    unfinishedBodies: UNFINISHED_BODIES,
    /** Maximum open streams without a token in this process, and of one network address. Fans at one carrier share a few. */
    publicStreams: reader.integer('MAX_PUBLIC_STREAMS', 10_000, 0, 1_000_000),
    publicStreamsPerAddress: reader.integer('MAX_PUBLIC_STREAMS_PER_ADDRESS', 500, 1, 1_000_000),
    /** A write that would wait longer for the database is refused. Milliseconds. */
    maxWriteWaitMs: reader.integer('MAX_WRITE_WAIT_MS', 4_000, 10, 60_000),
  })
