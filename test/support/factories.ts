/** Creates rows that a test needs before it begins. */
import type { Database, Tables } from '../../db/index.ts'
import { appendEntry } from '../../src/economy/points/ledger.ts'
import { createServerKey } from '../../src/identity/server-keys/keys.ts'
import type { ServerScope } from '../../src/identity/server-keys/scopes.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { matchesTag, rewardsTag } from '../../src/platform/cache/tags.ts'
import type { Config } from '../../src/platform/config/config.ts'

type NewReward = Partial<Tables['rewards']['$inferInsert']>
type NewMatch = Partial<Tables['matches']['$inferInsert']>

export interface Factories {
  /** A reward of the catalogue; answers its id. Active, without limit, for 100 points by default. */
  reward(fields?: NewReward): Promise<string>
  /** A team; answers its id. */
  team(fields?: { active?: boolean }): Promise<string>
  /** A match; answers its id. Between two teams of its own, scheduled, with kick-off now by default. */
  match(fields?: NewMatch): Promise<string>
  /** Books points for a fan; negative to spend. */
  grant(fan: { subject: string }, delta: number): Promise<void>
  /** A server key with these scopes, of a source of its own by default; for `withToken`. */
  serverKey(scopes: ServerScope[], fields?: { source?: string; expiresAt?: Date | null }): Promise<string>
}

export function createFactories(db: Database, config: Config): Factories {
  let made = 0
  const { matches, rewards, teams } = db.tables
  async function team({ active = true } = {}) {
    const id = `team-${++made}`
    const at = db.read.now()
    await db.write(async tx => {
      await tx.insert(teams).values({ id, name: id, shortName: 'TST', active, createdAt: at, updatedAt: at })
      tx.invalidate('teams')
    })
    return id
  }
  return {
    team,
    async match(fields = {}) {
      const id = fields.id ?? `match-${++made}`
      const at = db.read.now()
      const defaults = {
        competition: 'Coastal League',
        season: '2026/27',
        homeTeamId: fields.homeTeamId ?? (await team()),
        awayTeamId: fields.awayTeamId ?? (await team()),
        kickoffAt: at,
        status: 'scheduled',
        revision: 1,
        active: true,
      }
      await db.write(async tx => {
        await tx.insert(matches).values({ ...defaults, createdAt: at, updatedAt: at, ...fields, id })
        tx.invalidate(matchesTag)
      })
      return id
    },
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
    async serverKey(scopes, { source = `source-${++made}`, expiresAt = null } = {}) {
      const issued = await db.write(tx => createServerKey(tx, { source, scopes, expiresAt }))
      if (!issued) throw new Error(`${source} has a key already`)
      return issued.key
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
