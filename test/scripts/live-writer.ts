/**
 * Writes until the database refuses: some fans join and earn, rows are changed and deleted, then only changes. Prints how many units of work
 * were acknowledged.
 */
import { eq } from 'drizzle-orm'
import { openDatabase } from '../../db/index.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { joinLeaderboard } from '../../src/economy/points/join-leaderboard.ts'
import { appendEntry } from '../../src/economy/points/ledger.ts'

const db = openDatabase(process.env.DATABASE_URL ?? '', realSources, { spine: createSpine() })
const { users, teams } = db.tables
/** Without an end the database would grow as long as the move takes. */
const FANS = 300
let written = 0
try {
  for (let fan = 1; fan <= FANS; fan++) {
    const at = new Date()
    const [id, team] = [realSources.newId(), `team-${fan}`]
    await db.write(async tx => {
      const times = { createdAt: at, updatedAt: at }
      await tx.insert(users).values({ id, provider: 'live', subject: id, ...times })
      await tx.insert(teams).values({ id: team, name: team, shortName: 'T', active: true, ...times })
    })
    await db.write(tx => joinLeaderboard(tx, id))
    await db.write(tx => appendEntry(tx, { userId: id, delta: 5, reason: 'activity', ref: team }))
    await db.write(async tx => {
      await tx.update(users).set({ bio: team, favoriteTeamId: team }).where(eq(users.id, id))
      if (fan > 1) await tx.delete(teams).where(eq(teams.id, `gone-${fan - 1}`))
      await tx
        .insert(teams)
        .values({ id: `gone-${fan}`, name: team, shortName: 'T', active: true, createdAt: at, updatedAt: at })
    })
    written += 4
    if (fan % 5 === 0) process.stdout.write(`${written}\n`)
  }
  const [last] = await db.read.select({ id: users.id }).from(users).where(eq(users.provider, 'live')).limit(1)
  for (; ; written++)
    await db.write(tx =>
      tx
        .update(users)
        .set({ bio: `${written}` })
        .where(eq(users.id, last?.id ?? '')),
    )
} catch (error) {
  process.stdout.write(
    `refused after ${written}: ${error instanceof Error ? error.message : String(error)}\n`,
  )
}
await db.close()
