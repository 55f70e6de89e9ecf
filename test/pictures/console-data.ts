/**
 * Data for the pictures of the console, in addition to `bun run dev --fresh`: the figures of a season, and actions of staff.
 */
import { eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../../db/index.ts'
import { upsertMatch } from '../../src/club/matches/upsert-match.ts'
import { nameKeyOf } from '../../src/identity/users/search-keys.ts'
import { dayOf } from '../../src/operate/admin/daily-figures.ts'
import { createSession } from '../../src/operate/console/sessions/sessions.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAYS = 200
/** By day of the week, Sunday first: matches are played on Saturdays, and some on Wednesdays. */
const WEEK = [0.9, 0.5, 0.6, 1.3, 0.6, 0.9, 2.4]

/** The same at each run: between 0.85 and 1.15. */
const vary = (seed: number) => 0.85 + 0.3 * (Math.sin(seed * 12.9898) * 0.5 + 0.5)

/** Of a middling day, at the begin of the season; `DAYS` later twice as many. */
const USUAL = {
  ...{ newFans: 38, onboardings: 31, activeFans: 940, claims: 64, redemptions: 41, orders: 22, packs: 85 },
  ...{ pointsGranted: 21_400, pointsSpent: 12_900, pointsTaken: 640 },
}

/** Replaces what was counted of the seed, which ends long before today. */
export async function addSeason(tx: Transaction): Promise<void> {
  const { dailyFigures, maintenanceRuns, reports } = tx.tables
  const now = tx.now().getTime()
  await tx.delete(dailyFigures)
  let fans = FANS_BEFORE
  await tx
    .update(reports)
    .set({ createdAt: new Date(now - 3 * HOUR_MS) })
    .where(isNull(reports.resolvedAt))
  for (let ago = 1; ago <= DAYS; ago++) {
    const instant = new Date(now - ago * DAY_MS)
    const growth = 1 + (DAYS - ago) / DAYS
    const share = (base: number, seed: number) =>
      Math.round(base * growth * (WEEK[instant.getUTCDay()] ?? 1) * vary(ago * 7 + seed))
    // Guarantee of the cast: the entries are those of the constant.
    const figures = Object.fromEntries(
      Object.entries(USUAL).map(([name, base], seed) => [name, share(base, seed)]),
    ) as typeof USUAL
    await tx.insert(dailyFigures).values({ day: dayOf(instant), ...figures })
    fans += figures.newFans
  }
  await addFans(tx, fans)
  for (const [command, ago] of [
    ['backup', 0.2],
    ['verify-ledger', 1.3],
    ['verify-quests', 2.4],
  ] as const) {
    const finishedAt = new Date(now - ago * DAY_MS)
    await tx
      .insert(maintenanceRuns)
      .values({ command, finishedAt })
      .onConflictDoUpdate({ target: maintenanceRuns.command, set: { finishedAt } })
  }
}

/** Before the days that are shown. */
const FANS_BEFORE = 3_000
const BATCH = 500
const DAY_OF_FIRST_FAN = 400

/** As many as the figures of the days come to. They have no names: nobody looks for them. */
async function addFans(tx: Transaction, count: number): Promise<void> {
  const createdAt = new Date(tx.now().getTime() - DAY_OF_FIRST_FAN * DAY_MS)
  for (let at = 0; at < count; at += BATCH)
    await tx.insert(tx.tables.users).values(
      Array.from({ length: Math.min(BATCH, count - at) }, (_, nth) => ({
        ...{ id: tx.newId(), provider: 'pictures', subject: `fan-${at + nth}` },
        ...{ createdAt, updatedAt: createdAt },
      })),
    )
}

/** It is there before the console's pictures, with its check-in open. */
export const DERBY = 'derby'
const MINUTE_MS = 60_000

/** Kick-offs around now, on one day (UTC). */
function kickoffOf(now: Date, minutes: number): Date {
  const midnight = now.getTime() - (now.getTime() % DAY_MS)
  const at = now.getTime() - (now.getTime() % (15 * MINUTE_MS)) + minutes * MINUTE_MS
  return new Date(Math.min(Math.max(at, midnight), midnight + DAY_MS - 15 * MINUTE_MS))
}

/** Two matches in addition to the derby. */
export async function addMatchDay(tx: Transaction): Promise<void> {
  const season = { competition: 'Summer Cup', season: '2026/27', round: 'Round 12' }
  const [early, late] = [kickoffOf(tx.now(), -150), kickoffOf(tx.now(), 165)]
  await upsertMatch(tx, {
    ...{ id: 'early', homeTeamId: 'vila-do-sol', awayTeamId: 'bellavista-cf', ...season },
    ...{ kickoffAt: early.toISOString(), venue: 'Estádio Vila do Sol' },
  })
  await upsertMatch(tx, {
    ...{ id: 'late', homeTeamId: 'kitakaze-united', awayTeamId: 'porto-sereno', ...season },
    ...{ kickoffAt: late.toISOString(), venue: 'Kitakaze Stadium' },
  })
}

/** Reported states of the matches. */
export function matchDayStates(now: Date) {
  const reason = 'Reported from the press box.'
  const of = (id: string, status: string, minutes: number, homeScore: number, awayScore: number) => {
    const kickoffAt = kickoffOf(now, minutes).toISOString()
    return { id, revision: 2, status, kickoffAt, homeScore, awayScore, reason }
  }
  return [of('early', 'finished', -150, 2, 2), of(DERBY, 'live', -45, 1, 0)]
}

/** Characters that the fonts of the machine lack would be boxes. */
export async function giveNamesInKnownScripts(tx: Transaction): Promise<void> {
  const { users, identities } = tx.tables
  const known =
    /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Common}\p{Script=Inherited}]*$/v
  const rows = await tx
    .select({ id: users.id, own: users.displayName, name: identities.name })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
  const others = rows.filter(({ own, name }) => !known.test(`${own ?? ''}${name ?? ''}`))
  for (const [nth, { id }] of others.entries()) {
    const name = NAMES[nth % NAMES.length] ?? ''
    await tx
      .update(users)
      .set({ displayName: name, nameKey: nameKeyOf(name) })
      .where(eq(users.id, id))
    await tx.update(identities).set({ name }).where(eq(identities.userId, id))
  }
}
const NAMES = [
  'Min-jun Kim',
  'Aarav Sharma',
  'Mei Tanaka',
  'Li Wei',
  'Priya Nair',
  'Haruto Sato',
  'Seo-yeon Park',
]

/** The tokens of people who are signed in. */
export async function signStaffIn(tx: Transaction) {
  const owner = await createSession(tx, { id: 'link:Inês Duarte', name: 'Inês Duarte', role: 'owner' })
  const support = await createSession(tx, { id: 'link:Tom Baker', name: 'Tom Baker', role: 'support' })
  const second = await createSession(tx, { id: 'link:Marta Lopes', name: 'Marta Lopes', role: 'owner' })
  return { owner: owner.token, support: support.token, second: second.token }
}
