/** What the pictures of the console show, on top of the data of `bun run dev --fresh`: a season's figures, and work of the staff. */
import { isNull } from 'drizzle-orm'
import type { Transaction } from '../../db/index.ts'
import { dayOf } from '../../src/operate/admin/daily-figures.ts'
import { createSession } from '../../src/operate/console/sessions/sessions.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAYS = 200
/** By day of the week, Sunday first: matches are played on Saturdays, and some on Wednesdays. */
const WEEK = [0.9, 0.5, 0.6, 1.3, 0.6, 0.9, 2.4]

/** The same at each run: between 0.85 and 1.15. */
const vary = (seed: number) => 0.85 + 0.3 * (Math.sin(seed * 12.9898) * 0.5 + 0.5)

/** Replaces what was counted of the seed, which ends long before today. */
export async function addSeason(tx: Transaction): Promise<void> {
  const { dailyFigures, maintenanceRuns, reports } = tx.tables
  const now = tx.now().getTime()
  await tx.delete(dailyFigures)
  await tx
    .update(reports)
    .set({ createdAt: new Date(now - 3 * HOUR_MS) })
    .where(isNull(reports.resolvedAt))
  for (let ago = 1; ago <= DAYS; ago++) {
    const instant = new Date(now - ago * DAY_MS)
    const growth = 1 + (DAYS - ago) / DAYS
    const share = (base: number, seed: number) =>
      Math.round(base * growth * (WEEK[instant.getUTCDay()] ?? 1) * vary(ago * 7 + seed))
    await tx.insert(dailyFigures).values({
      day: dayOf(instant),
      ...{ newFans: share(38, 1), onboardings: share(31, 2), activeFans: share(940, 3) },
      ...{ pointsGranted: share(21_400, 4), pointsSpent: share(12_900, 5), pointsTaken: share(640, 6) },
      ...{ claims: share(64, 7), redemptions: share(41, 8), orders: share(22, 9), packs: share(85, 10) },
    })
  }
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

/** The tokens of people who are signed in. */
export async function signStaffIn(tx: Transaction) {
  const owner = await createSession(tx, { id: 'link:Inês Duarte', name: 'Inês Duarte', role: 'owner' })
  const support = await createSession(tx, { id: 'link:Tom Baker', name: 'Tom Baker', role: 'support' })
  const second = await createSession(tx, { id: 'link:Marta Lopes', name: 'Marta Lopes', role: 'owner' })
  return { owner: owner.token, support: support.token, second: second.token }
}
