/** The list of leagues: its statements do not grow with the leagues and their members. */
import { expect, test } from 'bun:test'
import { insertRows } from '../../../db/bulk.ts'
import type { Transaction } from '../../../db/index.ts'
import { listLeagues } from '../../../src/play/leagues/table.ts'
import { countQueries } from '../../support/queries.ts'
import { onEachEngine } from '../../support/world.ts'

const MEMBERS = 12

onEachEngine('The list of leagues', world => {
  /** Leagues of all kinds in turn, with a closed round. */
  async function addLeagues(tx: Transaction, fan: string, count: number): Promise<void> {
    const { users, leagues, leagueMembers, leagueRounds, leaguePairs, leaderboardScores } = tx.tables
    const at = tx.now()
    const ids = Array.from({ length: MEMBERS }, (_, n) => (n === 0 ? fan : `${fan}-${n}`))
    const user = { provider: 'test', createdAt: at, updatedAt: at, country: 'GB' }
    await insertRows(
      tx,
      users,
      ids.map(id => ({ ...user, id, subject: id })),
    )
    const score = { board: 'all', reachedAt: at.getTime() }
    await insertRows(
      tx,
      leaderboardScores,
      ids.map((userId, n) => ({ ...score, userId, minusPoints: n - MEMBERS })),
    )
    const league = { name: 'Office', scoring: 'points', board: 'all', countFrom: 'join', locked: false }
    for (let n = 0; n < count; n++) {
      const leagueId = `${fan}-league-${n}`
      const ofPredictions = n % 3 === 1
      await tx.insert(leagues).values({
        ...{ ...league, id: leagueId, code: leagueId, ownerId: ids[n % MEMBERS] ?? fan, createdAt: at },
        ...{ members: MEMBERS, joined: MEMBERS, rounds: 1, format: n % 3 === 0 ? 'head_to_head' : 'table' },
        ...(ofPredictions && { scoring: 'predictions', board: 'predictions', competition: 'Cup' }),
      })
      const member = { leagueId, joinedAt: at, countsFrom: at, baseline: 0, matchPoints: 0 }
      await insertRows(
        tx,
        leagueMembers,
        ids.map((userId, nth) => ({ ...member, userId, number: nth + 1 })),
      )
      const round = {
        leagueId,
        number: 1,
        week: '2026-W33',
        startsAt: at,
        endsAt: new Date(at.getTime() + 1),
      }
      await tx.insert(leagueRounds).values({ ...round, closedAt: at })
      const pair = { leagueId, round: 1, position: 0, home: 1, away: 2, homePoints: 5, awayPoints: 4 }
      await tx.insert(leaguePairs).values(pair)
    }
  }

  test('takes as many statements for 30 leagues as for three', async () => {
    await world.db.write(async tx => {
      await addLeagues(tx, 'few', 3)
      await addLeagues(tx, 'many', 30)
    })
    const read = (userId: string) => listLeagues(world.db.read, { userId })
    const { leagues } = await read('many')
    expect(leagues).toHaveLength(30)
    const withRound = leagues.filter(({ lastRound }) => lastRound !== null)
    expect(withRound.map(({ format }) => format)).toEqual(Array(10).fill('head_to_head'))
    expect(withRound.every(({ lastRound }) => lastRound?.pairs[0]?.homePoints === 5)).toBe(true)
    expect(leagues.every(({ me }) => me.rank === 1)).toBe(true)
    await read('few')
    const few = await countQueries(world.db, () => read('few'))
    const many = await countQueries(world.db, () => read('many'))
    expect(many).toBe(few)
    expect(many).toBeLessThanOrEqual(14)
  })
})
