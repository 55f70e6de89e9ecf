/** Predictions and check-ins of several processes at the same time. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, getTableColumns, inArray } from 'drizzle-orm'
import { countRows } from '../../../db/pages.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { competitionKind } from '../../../src/club/competitions/competition-kind.ts'
import { realSources } from '../../../src/core/sources.ts'
import { createCheckInCodes } from '../../../src/play/check-ins/code.ts'
import { findSplit, freezeDueSplits } from '../../../src/play/predictions/split.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { readLines } from '../../support/read-lines.ts'
import { waitUntil } from '../../support/wait-until.ts'

const PROCESSES = 2
const SECRET = 'a secret of the race'
/** From the start of both processes to kick-off. */
const KICK_OFF_IN_MS = 300

describe.each(engines)('Processes at a match ($name)', engine => {
  let temporary: TemporaryDatabase
  beforeAll(async () => {
    temporary = await engine.open(realSources)
    const at = new Date()
    const team = { shortName: 'TST', active: true, createdAt: at, updatedAt: at }
    await temporary.db.write(tx =>
      tx.insert(tx.tables.teams).values(['home', 'away'].map(id => ({ ...team, id, name: id }))),
    )
  })
  afterAll(() => temporary.remove())

  const addMatch = (id: string, kickoffAt: Date, competition = 'Cup') =>
    addMatches([{ id, kickoffAt, round: 'Final' }], competition)

  async function addMatches(planned: { id: string; kickoffAt: Date; round: string }[], competition: string) {
    const match = { competition, season: '2026', homeTeamId: 'home', awayTeamId: 'away' }
    const stamps = { createdAt: new Date(), updatedAt: new Date() }
    const state = { status: 'scheduled', revision: 1, active: true }
    const rows = planned.map(one => ({ ...match, ...state, ...stamps, ...one }))
    await temporary.db.write(tx => tx.insert(tx.tables.matches).values(rows))
  }

  async function start(...args: string[]) {
    const child = Bun.spawn(
      [...commandOf('test/club/matches/racing-process.ts'), temporary.url ?? '', ...args],
      {
        stdout: 'pipe',
        stderr: 'inherit',
      },
    )
    const lines = readLines(child.stdout)[Symbol.asyncIterator]()
    await lines.next()
    return async <T>(): Promise<T[]> => JSON.parse((await lines.next()).value ?? '')
  }

  const users = (subjects: string[]) => {
    const { users } = temporary.db.tables
    return temporary.db.read.select().from(users).where(inArray(users.subject, subjects))
  }

  test('predictions concurrent with kick-off: accepted ones are written before it, refused ones not at all', async () => {
    const names = Array.from({ length: PROCESSES }, (_, n) => `process-${n}`)
    const running = await Promise.all(names.map(name => start('predict', 'derby', name)))
    const kickoffAt = new Date(Date.now() + KICK_OFF_IN_MS)
    await addMatch('derby', kickoffAt)
    const outcomes = await Promise.all(running.map(end => end<{ subject: string; code: string | null }>()))
    const all = outcomes.flat()
    const [refused, accepted] = [all.filter(({ code }) => code), all.filter(({ code }) => !code)]
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['prediction_closed']))

    const { predictions } = temporary.db.tables
    const rows = await temporary.db.read.select().from(predictions).where(eq(predictions.matchId, 'derby'))
    expect(rows.filter(({ changedAt }) => changedAt >= kickoffAt)).toEqual([])
    const predictors = await users(accepted.map(({ subject }) => subject))
    expect(rows.map(({ userId }) => userId).toSorted()).toEqual(predictors.map(({ id }) => id).toSorted())
    expect(predictors).toHaveLength(accepted.length)
    expect(await users(refused.map(({ subject }) => subject))).toEqual([])
  })

  const addCup = (id: string, deadline: 'match' | 'round' = 'match', joker = 1) =>
    temporary.db.write(tx => {
      const points = { exact: 30, difference: 20, outcome: 10 }
      return competitionKind.upsert(tx, { id, name: id, deadline, points, joker, crowd: true })
    })

  test('predictions concurrent with the split: each accepted one is counted, and none is accepted after it', async () => {
    await addCup('crowd-cup')
    const running = await Promise.all(
      ['first', 'second'].map(name => start('predict', 'crowded', `crowd-${name}`)),
    )
    const kickoffAt = new Date(Date.now() + KICK_OFF_IN_MS)
    await addMatch('crowded', kickoffAt, 'crowd-cup')
    const { db } = temporary
    const split = await waitUntil('the split', async () => {
      await freezeDueSplits(db)
      return findSplit(db.read, 'crowded')
    })
    const outcomes = await Promise.all(running.map(end => end<{ code: string | null }>()))
    const accepted = outcomes.flat().filter(({ code }) => code === null).length
    expect(split).toEqual({ home: accepted, draw: 0, away: 0 })
    const { predictions } = db.tables
    const rows = await db.read.select().from(predictions).where(eq(predictions.matchId, 'crowded'))
    expect(rows).toHaveLength(accepted)
  })

  test('put the joker of the same fans on two matches of a round: each fan has it on one', async () => {
    const fans = 8
    await addCup('joker-cup')
    const matchIds = ['joker-a', 'joker-b']
    const kickoffAt = new Date(Date.now() + 3_600_000)
    for (const matchId of matchIds) await addMatch(matchId, kickoffAt, 'joker-cup')
    const running = await Promise.all(matchIds.map(matchId => start('joker', matchId, 'joker', String(fans))))
    const outcomes = await Promise.all(running.map(end => end<{ subject: string; code: string | null }>()))
    const codes = new Set(outcomes.flat().map(({ code }) => code))
    expect([...codes].filter(code => code !== null)).toEqual(['joker_used'])
    const { predictions } = temporary.db.tables
    const rows = await temporary.db.read
      .select()
      .from(predictions)
      .where(inArray(predictions.matchId, matchIds))
    expect(rows.every(({ jokerRound }) => jokerRound === 'Final')).toBe(true)
    expect(new Set(rows.map(({ userId }) => userId)).size).toBe(fans)
    expect(rows).toHaveLength(fans)
  })

  test.each(['match', 'round'] as const)(
    'put jokers of the same fans at the deadline of a %s: each is counted or refused, once a round and twice a season',
    async deadline => {
      const [fans, season] = [12, 2]
      const cup = `deadline-${deadline}`
      await addCup(cup, deadline, season)
      const rounds = ['1', '2', '3', '4']
      const planned = rounds.flatMap(round => ['a', 'b'].map(of => ({ round, id: `${cup}-${round}${of}` })))
      const ids = planned.map(({ id }) => id)
      const names = Array.from({ length: PROCESSES }, () => start('jokers', ids.join(), cup, String(fans)))
      const running = await Promise.all(names)
      const { db } = temporary
      const { matches, predictions, users } = db.tables
      const inAnHour = new Date(Date.now() + 3_600_000)
      await addMatches(
        planned.map(one => ({ ...one, kickoffAt: inAnHour })),
        cup,
      )
      const isPlanned = inArray(predictions.matchId, ids)
      await waitUntil('jokers', async () => (await countRows(db.read, predictions, isPlanned)) >= fans)
      const kickoffAt = new Date(Date.now() + KICK_OFF_IN_MS)
      // With the deadline of a round, the second match of each closes with the first one.
      const closing = deadline === 'match' ? ids : ids.filter(id => id.endsWith('a'))
      await db.write(tx => tx.update(matches).set({ kickoffAt }).where(inArray(matches.id, closing)))
      const outcomes = (
        await Promise.all(
          running.map(end => end<{ subject: string; matchId: string; code: string | null }>()),
        )
      ).flat()
      const rows = await db.read
        .select({ ...getTableColumns(predictions), subject: users.subject })
        .from(predictions)
        .innerJoin(users, eq(users.id, predictions.userId))
        .where(isPlanned)
      const nameOf = (of: { subject: string; matchId: string }) => `${of.subject} ${of.matchId}`
      const counted = new Set(rows.map(nameOf))
      expect(new Set(outcomes.filter(({ code }) => code === null).map(nameOf))).toEqual(counted)
      expect(
        rows.filter(({ changedAt, jokerRound }) => changedAt >= kickoffAt || jokerRound === null),
      ).toEqual([])
      const bySubject = Map.groupBy(rows, ({ subject }) => subject)
      for (const own of bySubject.values()) {
        expect(own.length).toBeLessThanOrEqual(season)
        expect(new Set(own.map(({ jokerRound }) => jokerRound)).size).toBe(own.length)
      }
      // Jokers are not taken back here: what refused one is still there.
      for (const { subject, matchId } of outcomes.filter(({ code }) => code === 'joker_used')) {
        const own = bySubject.get(subject) ?? []
        const round = planned.find(({ id }) => id === matchId)?.round
        expect(own.length === season || own.some(({ jokerRound }) => jokerRound === round)).toBe(true)
      }
      expect(new Set(outcomes.map(({ code }) => code))).toEqual(
        new Set([null, 'joker_used', 'prediction_closed']),
      )
      await freezeDueSplits(db)
      for (const { id } of planned) {
        const split = await findSplit(db.read, id)
        expect(split?.home).toBe(rows.filter(({ matchId }) => matchId === id).length)
      }
      expect((await verifyLedger(db)).findings).toBe(0)
    },
  )

  test('scan the same fans: each has one check-in and one event', async () => {
    const fans = 5
    await addMatch('scanned', new Date())
    const { code } = createCheckInCodes(SECRET).issue('scanned', new Date())
    const args = ['check-in', SECRET, code, String(fans)]
    const running = await Promise.all(Array.from({ length: PROCESSES }, () => start(...args)))
    const outcomes = await Promise.all(running.map(end => end<{ subject: string; created: boolean }>()))
    const created = outcomes.flat().filter(outcome => outcome.created)
    const subjects = Array.from({ length: fans }, (_, n) => `fan-${n}`)
    expect(created.map(({ subject }) => subject).toSorted()).toEqual(subjects)

    const userIds = (await users(subjects)).map(({ id }) => id).toSorted()
    const { checkIns, events } = temporary.db.tables
    const rows = await temporary.db.read.select().from(checkIns).where(eq(checkIns.matchId, 'scanned'))
    expect(rows.map(({ userId }) => userId).toSorted()).toEqual(userIds)
    const recorded = await temporary.db.read.select().from(events).where(eq(events.type, 'match.checked_in'))
    expect(recorded.map(({ userId }) => userId ?? '').toSorted()).toEqual(userIds)
  })
})
