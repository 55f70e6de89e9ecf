/** The match of the settlement scenario, which every fan of the database has predicted. */
import { insertRows } from '../../db/bulk.ts'
import { openDatabase } from '../../db/index.ts'
import { eachPage } from '../../db/keyset.ts'
import { competitionKind } from '../../src/club/competitions/competition-kind.ts'
import { realSources } from '../../src/core/sources.ts'
import { upsertRule } from '../../src/economy/rules/rule-kind.ts'
import { mintServerKey } from '../../src/identity/server-keys/key.ts'
import { createServerKey } from '../../src/identity/server-keys/keys.ts'
import { upsertQuest } from '../../src/play/quests/quest-kind.ts'

const RANDOM = new Uint8Array(32).fill(8)
export const MATCH_KEY = mintServerKey(RANDOM)
export const MATCH_ID = 'bench-match'

export interface MatchOptions {
  /** Whether the match has a competition with jokers and points by the crowd. */
  withRules?: boolean
}

const CUP = 'bench-cup'

const SETTLED = 'prediction.settled'
const HOUR_MS = 3_600_000
const BATCH = 2_000

/**
 * Adds a match that has begun, with the predictions 0:0 to 3:2 in equal numbers, a rule and a quest that listen to settled
 * predictions, and a server key. Returns the kick-off.
 */
export async function prepareMatch(url: string, { withRules = false }: MatchOptions = {}): Promise<Date> {
  const db = openDatabase(url, { ...realSources, randomBytes: () => RANDOM })
  const kickoffAt = new Date(Date.now() - HOUR_MS)
  const at = new Date(kickoffAt.getTime() - HOUR_MS)
  const stamps = { createdAt: at, updatedAt: at }
  await db.write(async tx => {
    await createServerKey(tx, { source: 'results', scopes: ['matches:write'], expiresAt: null })
    await upsertRule(tx, { id: 'bench-tip', name: 'Tip', eventType: SETTLED, points: { fixed: 1 } })
    await upsertQuest(tx, {
      id: 'bench-tipster',
      title: 'Tipster',
      description: 'Predict a match.',
      kind: 'quest',
      period: 'once',
      steps: [{ id: 'settled', eventType: SETTLED, target: 1 }],
      reward: { points: 5 },
      claim: 'manual',
    })
    const { teams, matches } = tx.tables
    const [homeTeamId, awayTeamId] = ['bench-home', 'bench-away']
    const team = { shortName: 'BEN', active: true, ...stamps }
    await tx.insert(teams).values([homeTeamId, awayTeamId].map(id => ({ ...team, id, name: id })))
    if (withRules)
      await competitionKind.upsert(tx, {
        id: CUP,
        name: 'Cup',
        deadline: 'round',
        points: { exact: 25, difference: 15, outcome: 10 },
        joker: 1,
        crowd: true,
      })
    const match = {
      competition: withRules ? CUP : 'League',
      season: '2026',
      homeTeamId,
      awayTeamId,
      active: true,
      kickoffAt,
    }
    await tx.insert(matches).values({ ...match, ...stamps, id: MATCH_ID, status: 'live', revision: 1 })
  })
  const { users } = db.tables
  const pages = eachPage(
    { id: users.id },
    after => db.read.select({ id: users.id }).from(users).where(after),
    { size: BATCH },
  )
  const open = { matchId: MATCH_ID, state: 'open', points: 0, booked: 0, createdAt: at, changedAt: at }
  let nth = 0
  for await (const page of pages) {
    const rows = page.map(({ id: userId }) => {
      nth++
      const joker = withRules && nth % 3 === 0 ? { jokerSeason: '2026', jokerRound: MATCH_ID } : {}
      const competition = withRules ? CUP : null
      return { ...open, userId, homeScore: nth % 4, awayScore: nth % 3, competition, ...joker }
    })
    await db.write(tx => insertRows(tx, tx.tables.predictions, rows))
  }
  await db.close()
  return kickoffAt
}
