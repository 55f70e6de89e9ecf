/**
 * Random predictions, jokers, reports, cancellations, corrections, merges and erasures in competitions with jokers and points by the
 * crowd, compared with a plain model after each step.
 */
import { expect, test } from 'bun:test'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { settlePredictions } from '../../../src/play/predictions/settle.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { balanceOf, patientFan, userIdOf } from '../packs/packs-world.ts'
import { addCompetition, addMatch } from './match-world.ts'

const STEPS = 45
const MINUTE = 60_000
const POINTS = { exact: 40, difference: 20, outcome: 10 }
const JOKERS = 2

interface Prediction {
  /** The record under which it is stored, and the person who gets its points. */
  record: Person
  owner: Person
  home: number
  away: number
  joker: boolean
  createdAt: number
  changedAt: number
  state: 'open' | 'settled' | 'void'
}

interface Person {
  fan: Fan
  id: string
  /** Points before the first step. */
  start: number
}

interface Match {
  matchId: string
  report: Awaited<ReturnType<typeof addMatch>>['report']
  round: string
  kickoffAt: number
  status: 'scheduled' | 'live' | 'finished' | 'cancelled'
  result: [home: number, away: number] | null
  predictions: Prediction[]
  split: { home: number; draw: number; away: number; frozenAt: number; deadline: number } | null
  /** Whether a result was ever settled: what follows reopens it. */
  hasSettlement: boolean
}

const outcomeOf = (home: number, away: number) => (home > away ? 'home' : home < away ? 'away' : 'draw')

/** Points of a prediction: as the documentation tells them. */
function pointsOf(
  { home, away, joker }: Prediction,
  [h, a]: [number, number],
  split: Match['split'],
): number {
  const best = () => {
    if (home === h && away === a) return POINTS.exact
    if (home - away === h - a) return POINTS.difference
    const outcome = outcomeOf(home, away)
    if (outcome !== outcomeOf(h, a)) return 0
    const all = split ? split.home + split.draw + split.away : 0
    const bonus = split && all > 0 ? Math.floor((POINTS.outcome * (all - split[outcome])) / all) : 0
    return POINTS.outcome + bonus
  }
  return best() * (joker ? 2 : 1)
}

onEachEngine('Predictions in any order of changes', world => {
  test.each([1, 2, 3, 4])('have the points and jokers of the model (seed %d)', async seed => {
    const random = seeded(seed)
    const upTo = (n: number) => Math.floor(random() * n)
    const pick = <Of>(list: readonly Of[]): Of => list[upTo(list.length)] as Of
    const deadline = seed % 2 === 0 ? 'match' : 'round'
    const competition = await addCompetition(world, { deadline, joker: JOKERS, crowd: true, points: POINTS })
    world.clock.advance(60 * MINUTE)
    const matches: Match[] = []
    for (const round of ['1', '1', '2', '3']) {
      const { matchId, report } = await addMatch(world, { competition, round, season: `of-${seed}` })
      const kickoffAt = world.clock.ms + 60 * MINUTE
      const fresh = {
        status: 'scheduled',
        result: null,
        predictions: [],
        split: null,
        hasSettlement: false,
      } as const
      matches.push({ matchId, report, round, kickoffAt, ...fresh, predictions: [] })
      world.clock.advance(10 * MINUTE)
    }
    const persons: Person[] = []
    for (let n = 0; n < 5; n++) {
      const fan = await patientFan(world)
      await fan.post('/api/user/profile', {})
      persons.push({ fan, id: (await userIdOf(world, fan)) ?? '', start: (await balanceOf(fan)).balance })
    }

    const begun = ({ status, kickoffAt }: Match) => status !== 'scheduled' || kickoffAt <= world.clock.ms
    const ofRound = ({ round }: Match) =>
      matches.filter(other => other.round === round && other.status !== 'cancelled')
    const isClosed = (match: Match) => begun(match) || (deadline === 'round' && ofRound(match).some(begun))
    const deadlineOf = (match: Match) =>
      Math.min(match.kickoffAt, ...(deadline === 'round' ? ofRound(match).map(other => other.kickoffAt) : []))
    const jokersOf = (record: Person, except: Match | null) =>
      matches.flatMap(match =>
        match !== except &&
        match.predictions.some(one => one.record === record && one.joker && one.state !== 'void')
          ? match.round
          : [],
      )
    const hasJokerFor = (record: Person, match: Match) => {
      const used = jokersOf(record, match)
      return used.length < JOKERS && !used.includes(match.round)
    }

    /** What the background does, in the model: splits, then the settlement of a match whose result has changed. */
    function settleModel(changed: Match | null): void {
      for (const match of matches) {
        const isSettled = () => match.predictions.some(({ state }) => state === 'settled')
        const { split } = match
        if (
          split &&
          split.frozenAt < split.deadline &&
          match.status !== 'cancelled' &&
          !isClosed(match) &&
          !isSettled()
        )
          match.split = null
        if (!match.split && match.status !== 'cancelled' && isClosed(match) && !isSettled()) {
          const deadline = deadlineOf(match)
          const counted = match.predictions.filter(({ changedAt }) => changedAt < deadline)
          const count = (outcome: string) =>
            counted.filter(({ home, away }) => outcomeOf(home, away) === outcome).length
          match.split = {
            home: count('home'),
            draw: count('draw'),
            away: count('away'),
            frozenAt: world.clock.ms,
            deadline,
          }
        }
      }
      if (!changed) return
      const { status } = changed
      if (status === 'finished' || status === 'cancelled') changed.hasSettlement = true
      if (!changed.hasSettlement) return
      const state = status === 'finished' ? 'settled' : status === 'cancelled' ? 'void' : 'open'
      for (const one of changed.predictions) {
        const isLate = status === 'finished' && one.changedAt >= changed.kickoffAt
        const next = isLate ? 'void' : state
        if (one.state === 'void' && next !== 'void' && one.joker) one.joker = hasJokerFor(one.record, changed)
        one.state = next
      }
    }

    async function background(changed: Match | null) {
      await settlePredictions(world.deps)
      settleModel(changed)
    }

    async function report(match: Match, state: Partial<Pick<Match, 'status' | 'kickoffAt' | 'result'>>) {
      Object.assign(match, { result: null, ...state })
      const [homeScore, awayScore] = match.result ?? [null, null]
      const kickoffAt = new Date(match.kickoffAt).toISOString()
      await match.report({ status: match.status, kickoffAt, homeScore, awayScore })
      await background(match)
    }

    const steps: Record<string, () => Promise<unknown>> = {
      async predict() {
        const [person, match, joker] = [pick(persons), pick(matches), random() < 0.6]
        const [home, away] = [upTo(3), upTo(3)]
        const own = match.predictions.find(({ record }) => record === person)
        const isOpen = !isClosed(match) && match.split === null && own?.state !== 'settled'
        const expected = !isOpen
          ? 'prediction_closed'
          : joker && !hasJokerFor(person, match)
            ? 'joker_used'
            : null
        const scores = { homeScore: home, awayScore: away, joker }
        const { body } = await person.fan.put(`/api/matches/${match.matchId}/prediction`, scores)
        expect(body.code ?? null).toBe(expected)
        if (expected !== null) return
        const at = world.clock.ms
        const written = { home, away, joker, changedAt: at, state: 'open' } as const
        if (own) Object.assign(own, written)
        else match.predictions.push({ record: person, owner: person, createdAt: at, ...written })
      },
      async wait() {
        world.clock.advance(pick([1, 5, 20]) * MINUTE)
        await background(null)
      },
      live: () => report(pick(matches), { status: 'live' }),
      finish: () => report(pick(matches), { status: 'finished', result: [upTo(3), upTo(3)] }),
      cancel: () => report(pick(matches), { status: 'cancelled' }),
      reschedule: () =>
        report(pick(matches), { status: 'scheduled', kickoffAt: world.clock.ms + pick([15, 90]) * MINUTE }),
      withdraw: () => report(pick(matches), { status: 'scheduled' }),
      async merge() {
        const [from, into] = [pick(persons), pick(persons)]
        if (from === into || persons.length < 4) return
        await world.db.write(tx =>
          mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Test', reason: 'Same' }),
        )
        into.start += from.start
        persons.splice(persons.indexOf(from), 1)
        const moving = matches.flatMap(match =>
          match.predictions.flatMap(one => (one.record === from ? { match, one } : [])),
        )
        for (const { match, one } of moving.toSorted((a, b) => a.one.createdAt - b.one.createdAt)) {
          one.owner = into
          if (one.state === 'settled') continue
          const isPredicted = match.predictions.some(({ record }) => record === into)
          const clashes = one.joker && one.state !== 'void' && !isPredicted && !hasJokerFor(into, match)
          if (match.split && (isPredicted || clashes)) continue
          if (isPredicted) match.predictions.splice(match.predictions.indexOf(one), 1)
          else Object.assign(one, { record: into, joker: one.joker && !clashes })
        }
        for (const match of matches)
          for (const one of match.predictions) if (one.owner === from) one.owner = into
      },
      async erase() {
        if (persons.length < 4) return
        const person = pick(persons)
        await world.db.write(tx => eraseUser(tx, { id: person.id }))
        persons.splice(persons.indexOf(person), 1)
      },
    }
    const order = [
      ...Array.from({ length: 9 }, () => 'predict'),
      ...['wait', 'wait', 'live', 'finish', 'finish', 'cancel', 'reschedule', 'reschedule', 'withdraw'],
    ]
    const done: string[] = []
    for (let step = 0; step < STEPS; step++) {
      const name = step === 20 || step === 32 ? 'merge' : step === 38 ? 'erase' : pick(order)
      done.push(name)
      await steps[name]?.()
      const expected = persons.map(person =>
        matches.reduce(
          (sum, { result, split, predictions }) =>
            predictions.reduce(
              (own, one) =>
                own +
                (one.owner === person && one.state === 'settled' && result
                  ? pointsOf(one, result, split)
                  : 0),
              sum,
            ),
          person.start,
        ),
      )
      const actual = await Promise.all(persons.map(async ({ fan }) => (await balanceOf(fan)).balance))
      expect({ done, balances: actual }).toEqual({ done, balances: expected })
      const found: Finding[] = []
      await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
      expect({ done, found }).toEqual({ done, found: [] })
    }
  })
})

/** Numbers from 0 to 1 that follow from the seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
