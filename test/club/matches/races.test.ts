/** Predictions and check-ins of several processes at the same time. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, inArray } from 'drizzle-orm'
import { realSources } from '../../../src/core/sources.ts'
import { createCheckInCodes } from '../../../src/play/check-ins/code.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { readLines } from '../../support/read-lines.ts'

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

  async function addMatch(id: string, kickoffAt: Date) {
    const match = { competition: 'Cup', season: '2026', homeTeamId: 'home', awayTeamId: 'away' }
    const stamps = { createdAt: new Date(), updatedAt: new Date() }
    const state = { status: 'scheduled', revision: 1, active: true, kickoffAt }
    await temporary.db.write(tx => tx.insert(tx.tables.matches).values({ id, ...match, ...state, ...stamps }))
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
