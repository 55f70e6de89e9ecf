/** `bun run expire-points`: ends points by hand, and shows what would end. */
import { expect, test } from 'bun:test'
import { dayOf } from '../../src/economy/points/expiry.ts'
import { appendEntry } from '../../src/economy/points/ledger.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

const DAY = 86_400_000
const DAYS = 60

for (const engine of engines) {
  onEngine(engine, 'bun run expire-points', world => {
    const expire = async (parameters: string[] = [], days = String(DAYS)) => {
      const env = { DATABASE_URL: world.databaseUrl ?? '', POINTS_EXPIRE_AFTER_DAYS: days }
      const { code, out } = await runScript('expire-points', [...parameters, '--json'], { env })
      return { code, ...JSON.parse(out) }
    }

    test('shows what would end, warns and ends it once, and refuses without the setting', async () => {
      const { pointsExpiry } = world.db.tables
      const today = dayOf(new Date())
      const before = (days: number) => today.getTime() - days * DAY + DAY / 2
      const who = { provider: 'p', subject: 'ada' }
      const userId = await world.db.write(async tx => (await ensureUser(tx, who)).user.id)
      const earn = async (delta: number, days: number) => {
        world.clock.ms = before(days)
        const change = { userId, delta, reason: 'activity' as const, ref: `${days} days ago` }
        await world.db.write(tx => appendEntry(tx, change))
      }
      await earn(40, DAYS + 3)
      await earn(7, DAYS - 10)
      await earn(5, 1)
      // With a new setting, all points that are old enough expire in 30 days.
      expect(await expire(['--dry-run'])).toMatchObject({ code: 0, fans: 0, points: 0, warnings: 1 })
      const pass = { days: DAYS, since: new Date(before(100)), day: new Date(before(2)), cursor: null }
      await world.db.write(tx => tx.insert(pointsExpiry).values(pass))
      const due = { fans: 1, points: 40, warnings: 1, mismatched: [], changed: 2 }
      expect(await expire(['--dry-run'])).toMatchObject({ code: 0, ...due, dryRun: true })
      expect(await expire()).toMatchObject({ code: 0, ...due, dryRun: false })
      expect(await expire()).toMatchObject({ code: 0, fans: 0, points: 0, warnings: 0, changed: 0 })
      expect(await expire(['--dry-run'])).toMatchObject({ fans: 0, points: 0, warnings: 0 })
      expect(await expire([], '')).toMatchObject({
        code: 1,
        error: 'The setting pointsExpireAfterDays is 0: points never expire.',
      })
    })
  })
}
