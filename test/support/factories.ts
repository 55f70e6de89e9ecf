/** What a test needs in the database before it begins. */
import type { Database, Tables } from '../../db/index.ts'
import { rewardsTag, teamsTag } from '../../src/cache/tags.ts'
import type { Config } from '../../src/config/config.ts'
import { appendEntry } from '../../src/points/ledger.ts'
import { ensureUser } from '../../src/users/users.ts'

type NewReward = Partial<Tables['rewards']['$inferInsert']>

export interface Factories {
  /** A reward of the catalogue; answers its id. Active, without limit, for 100 points unless told otherwise. */
  reward(fields?: NewReward): Promise<string>
  /** A team; answers its id. */
  team(fields?: { active?: boolean }): Promise<string>
  /** Books points for a fan; negative to spend. */
  grant(fan: { subject: string }, delta: number): Promise<void>
}

export function createFactories(db: Database, config: Config): Factories {
  let made = 0
  const { rewards, teams } = db.tables
  return {
    async reward(fields = {}) {
      const id = fields.id ?? `reward-${++made}`
      const at = db.read.now()
      const defaults = {
        title: 'Scarf',
        description: 'A scarf.',
        itemType: 'voucher',
        pointsRequired: 100,
        active: true,
      }
      await db.write(async tx => {
        await tx.insert(rewards).values({ ...defaults, createdAt: at, updatedAt: at, ...fields, id })
        tx.invalidate(rewardsTag)
      })
      return id
    },
    async team({ active = true } = {}) {
      const id = `team-${++made}`
      const at = db.read.now()
      await db.write(async tx => {
        await tx
          .insert(teams)
          .values({ id, name: id, shortName: 'TST', active, createdAt: at, updatedAt: at })
        tx.invalidate(teamsTag)
      })
      return id
    },
    async grant({ subject }, delta) {
      const ref = `grant-${++made}`
      const booking = await db.write(async tx => {
        const { user } = await ensureUser(tx, { provider: config.identity.name, subject })
        return appendEntry(tx, { userId: user.id, delta, reason: 'adjustment', ref })
      })
      if (booking.outcome !== 'booked') throw new Error(`grant was ${booking.outcome}`)
    },
  }
}
