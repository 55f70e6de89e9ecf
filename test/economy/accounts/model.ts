/** A plain model of a fan in an account: nothing is summed up before it is asked for. */
import { eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { readToldEvents } from '../../support/told-events.ts'
import { DAY } from './accounts-world.ts'

export const TIERS = [
  { id: 'silver', name: 'Silver', from: 100, graceDays: 10 },
  { id: 'gold', name: 'Gold', from: 200, graceDays: 4 },
]

interface Earned {
  cause: string
  points: number
  /** When it was earned. */
  at: number
}

export class ModelAccount {
  earned: Earned[] = []

  get balance() {
    return this.earned.reduce((sum, { points }) => sum + points, 0)
  }

  earn(cause: string, points: number, at: number) {
    this.earned.push({ cause, points, at })
  }

  /** At most the balance. */
  takeBack(cause: string) {
    const earned = this.earned.find(one => one.cause === cause)
    if (earned) earned.points -= Math.min(earned.points, this.balance)
  }

  carry(other: ModelAccount | undefined) {
    this.earned.push(...(other?.earned ?? []))
    if (other) other.earned = []
  }

  /** `ends`: of the seasons, the first first. */
  total(ends: number[], window: { seasons: number } | null, now: number, until = Number.POSITIVE_INFINITY) {
    const from = (window && ends.filter(end => end <= now).at(-window.seasons)) ?? Number.NEGATIVE_INFINITY
    return this.earned.reduce((sum, { points, at }) => (at >= from && at < until ? sum + points : sum), 0)
  }
}

/** The tier of the total, or a higher one of the last season within its days of grace. */
export function bestTier(
  account: ModelAccount,
  ends: number[],
  window: { seasons: number } | null,
  now: number,
): string | null {
  const total = account.total(ends, window, now)
  const end = window ? ends.findLast(one => one <= now) : undefined
  const past = end === undefined ? 0 : account.total(ends, window, end - 1, end)
  return (
    TIERS.findLast(
      ({ from, graceDays }) =>
        total >= from || (end !== undefined && past >= from && end + graceDays * DAY > now),
    )?.id ?? null
  )
}

interface Told {
  type: string
  tierId: string
  toTierId: string | null
}

/** Of the tiers of a fan in an account, in their order. */
export async function toldChanges(reader: Reader, userId: string, accountId: string): Promise<Told[]> {
  const told = await readToldEvents(reader, eq(reader.tables.events.userId, userId))
  return told.flatMap(({ type, data }) => {
    if (type !== 'tier.reached' && type !== 'tier.lost') return []
    const parsed = JSON.parse(data ?? '')
    return parsed.accountId === accountId ? [{ toTierId: null, ...parsed, type }] : []
  })
}

/** The tier after the changes. Each begins with the tier after the previous one. */
export function stateAfter(told: Told[]): string | null {
  let tier: string | null = null
  for (const { type, tierId, toTierId } of told) {
    if (type === 'tier.reached' ? tier === tierId : tier !== tierId)
      throw new Error(`${type} ${tierId} for a fan with the tier ${tier}`)
    tier = type === 'tier.reached' ? tierId : toTierId
  }
  return tier
}
