/** Which tier a fan has. Reached at once; after a season, kept for the days of grace. */
import type { Account, Tier } from './account-set.ts'

export interface HeldTier {
  tierId: string | null
  tierSince: Date | null
  /** Until when it is kept although the total is too low. */
  tierUntil: Date | null
}

export interface TierChange {
  type: 'reached' | 'lost'
  /** The tier that was reached or lost. */
  tierId: string
  /** The tier that the fan has now. */
  to: string | null
  reason: 'earned' | 'season' | 'correction'
}

const DAY_MS = 86_400_000

/** The highest tier of a total. */
export const tierOf = ({ tiers }: Account, total: number): Tier | undefined =>
  tiers.findLast(({ from }) => total >= from)

export const tierNamed = ({ tiers }: Account, id: string | null): Tier | undefined =>
  tiers.find(tier => tier.id === id)

/** The total at the end of the last season, on which a tier rests that is kept for days of grace. */
export interface PastTotal {
  endedAt: Date
  total: number
  /** Before the entries of the unit of work. */
  before: number
}

interface Judged {
  now: Date
  /** Whether the window has moved since the tier was judged last: days of grace are then those of `past`. */
  hasMoved?: boolean
  /** Whether entries were taken back since the tier was judged last. */
  isCorrected?: boolean
  /** Needed where a tier may end, or entries count there. Null without an ended season, or a window. */
  past?: PastTotal | null
}

/** The tier of a fan with this total, after the one that the fan had. */
export function judgeTier(
  account: Account,
  held: HeldTier,
  total: number,
  { now, hasMoved = false, isCorrected = false, past = null }: Judged,
): { held: HeldTier; change: TierChange | null } {
  const [earned, had] = [tierOf(account, total), tierNamed(account, held.tierId)]
  const kept = past ? keptTier(account, past, now) : null
  const [tier, keptUntil] = kept && kept.from > (earned?.from ?? 0) ? [kept, kept.until] : [earned, null]
  const [height, before] = [tier?.from ?? 0, had?.from ?? 0]
  if (height >= before) {
    if (tier === undefined || tier.id === held.tierId)
      return { held: { ...held, tierId: tier?.id ?? null, tierUntil: keptUntil }, change: null }
    const change = { type: 'reached', tierId: tier.id, to: tier.id, reason: 'earned' } as const
    return { held: { tierId: tier.id, tierSince: now, tierUntil: keptUntil }, change }
  }
  const lost = (reason: 'season' | 'correction') => ({
    held: { tierId: tier?.id ?? null, tierSince: tier ? now : null, tierUntil: keptUntil },
    change: { type: 'lost', tierId: had?.id ?? '', to: tier?.id ?? null, reason } as const,
  })
  if (isCorrected && (held.tierUntil === null || restsOn(past, before))) return lost('correction')
  // Without a new season the club has raised the tier.
  const until = held.tierUntil ?? (had && !hasMoved ? graceAfter(had, now) : now)
  return until <= now ? lost('season') : { held: { ...held, tierUntil: until }, change: null }
}

/** The highest tier of the season that ended last whose days of grace have not. */
function keptTier({ tiers }: Account, { total, endedAt }: PastTotal, now: Date) {
  const tier = tiers.findLast(one => total >= one.from && graceAfter(one, endedAt) > now)
  return tier ? { ...tier, until: graceAfter(tier, endedAt) } : null
}

/** Whether a tier from this total on rested on what was taken back. */
const restsOn = (past: PastTotal | null, from: number): boolean =>
  past !== null && past.before >= from && past.total < from

const graceAfter = ({ graceDays }: Tier, end: Date) => new Date(end.getTime() + graceDays * DAY_MS)
