/**
 * A process that acts for fans at a match, eight units of work at a time. Prints a line when it is ready, and its outcomes as JSON.
 * `bun racing-process.ts DATABASE_URL predict MATCH NAME` predicts for new fans until the match is closed for some of them;
 * `… joker MATCH NAME FANS` puts the joker of fans on a match, several times; `… jokers MATCHES NAME FANS` puts jokers of fans on matches,
 * separated by commas, in random order until predictions are closed; `… check-in SECRET CODE FANS` scans a code several times for each of the same fans.
 */
import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { checkIn } from '../../../src/play/check-ins/check-in.ts'
import { createCheckInCodes } from '../../../src/play/check-ins/code.ts'
import { writePrediction } from '../../../src/play/predictions/predict.ts'
import { openPatiently } from '../../support/patience.ts'
import { writerOf } from '../../support/writer.ts'

const AT_ONCE = 8
const REFUSALS = 20
const SCANS = 4

const [url = '', action = '', what = '', detail = '', fans = ''] = process.argv.slice(2)
const db = openPatiently(url, realSources)
const callerOf = (subject: string) => ({ provider: 'mock-idp', subject })

const persist = <T>(work: (tx: Transaction) => Promise<T>): Promise<T | DomainError> =>
  db.write(work).catch((error: unknown) => {
    if (error instanceof DomainError) return error
    throw error
  })

const inParallel = (act: () => Promise<void>) => Promise.all(Array.from({ length: AT_ONCE }, act))

async function predict(matchId: string, name: string) {
  const outcomes: { subject: string; code: string | null }[] = []
  let [next, refused] = [0, 0]
  await inParallel(async () => {
    while (refused < REFUSALS) {
      const subject = `${name}-${next++}`
      const scores = { homeScore: 1, awayScore: 0 }
      const done = await persist(async tx =>
        writePrediction(tx, await writerOf(tx, callerOf(subject)), matchId, scores),
      )
      const code = done instanceof DomainError ? done.code : null
      // The match is added when both processes are ready.
      if (code === 'match_not_found') continue
      if (code !== null) refused++
      outcomes.push({ subject, code })
    }
  })
  return outcomes
}

async function putJokers(matchId: string, name: string, fans: number) {
  const puts = Array.from({ length: fans * SCANS }, (_, n) => `${name}-${n % fans}`)
  const outcomes: { subject: string; code: string | null }[] = []
  await inParallel(async () => {
    for (let subject = puts.shift(); subject !== undefined; subject = puts.shift()) {
      const caller = callerOf(subject)
      const prediction = { homeScore: 1, awayScore: 0, joker: true }
      const done = await persist(async tx =>
        writePrediction(tx, await writerOf(tx, caller), matchId, prediction),
      )
      outcomes.push({ subject, code: done instanceof DomainError ? done.code : null })
    }
  })
  return outcomes
}

async function putUntilClosed(matchIds: string[], name: string, fans: number) {
  const outcomes: { subject: string; matchId: string; code: string | null }[] = []
  let refused = 0
  await inParallel(async () => {
    while (refused < REFUSALS) {
      const subject = `${name}-${Math.floor(Math.random() * fans)}`
      const matchId = matchIds[Math.floor(Math.random() * matchIds.length)] ?? ''
      const prediction = { homeScore: 1, awayScore: 0, joker: true }
      const done = await persist(async tx =>
        writePrediction(tx, await writerOf(tx, callerOf(subject)), matchId, prediction),
      )
      const code = done instanceof DomainError ? done.code : null
      if (code === 'match_not_found') continue
      if (code === 'prediction_closed') refused++
      outcomes.push({ subject, matchId, code })
    }
  })
  return outcomes
}

async function scan(secret: string, code: string, fans: number) {
  const codes = createCheckInCodes(secret)
  const scans = Array.from({ length: fans * SCANS }, (_, n) => `fan-${n % fans}`)
  const outcomes: { subject: string; created: boolean }[] = []
  await inParallel(async () => {
    for (let subject = scans.shift(); subject !== undefined; subject = scans.shift()) {
      const caller = callerOf(subject)
      const done = await persist(async tx => checkIn(tx, await writerOf(tx, caller), { code }, codes))
      if (done instanceof DomainError) throw done
      outcomes.push({ subject, created: done.created })
    }
  })
  return outcomes
}

process.stdout.write('ready\n')
const actions: Record<string, () => Promise<unknown[]>> = {
  predict: () => predict(what, detail),
  joker: () => putJokers(what, detail, Number(fans)),
  jokers: () => putUntilClosed(what.split(','), detail, Number(fans)),
  'check-in': () => scan(what, detail, Number(fans)),
}
const outcomes = await actions[action]?.()
await db.close()
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
