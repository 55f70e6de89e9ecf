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

interface Judged {
  now: Date
  /** When the total became too low, unless by a correction: the end of the season. */
  since: Date
  /** Whether entries were taken back since the tier was judged last. */
  isCorrected?: boolean
}

/** The tier of a fan with this total, after the one that the fan had. */
export function judgeTier(
  account: Account,
  held: HeldTier,
  total: number,
  { now, since, isCorrected = false }: Judged,
): { held: HeldTier; change: TierChange | null } {
  const [earned, had] = [tierOf(account, total), tierNamed(account, held.tierId)]
  const [height, before] = [earned?.from ?? 0, had?.from ?? 0]
  if (height >= before) {
    if (earned === undefined || earned.id === held.tierId)
      return { held: { ...held, tierId: earned?.id ?? null, tierUntil: null }, change: null }
    const change = { type: 'reached', tierId: earned.id, to: earned.id, reason: 'earned' } as const
    return { held: { tierId: earned.id, tierSince: now, tierUntil: null }, change }
  }
  const lost = (reason: 'season' | 'correction') => ({
    held: { tierId: earned?.id ?? null, tierSince: earned ? now : null, tierUntil: null },
    change: { type: 'lost', tierId: had?.id ?? '', to: earned?.id ?? null, reason } as const,
  })
  // A tier that is kept for days of grace does not rest on what was taken back.
  if (isCorrected && held.tierUntil === null) return lost('correction')
  const until = held.tierUntil ?? new Date(since.getTime() + (had?.graceDays ?? 0) * DAY_MS)
  return until <= now ? lost('season') : { held: { ...held, tierUntil: until }, change: null }
}
