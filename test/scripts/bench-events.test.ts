/** The raw references of the event scenario write the rows that Matchday writes. */
import { expect, test } from 'bun:test'
import type { Database } from '../../db/index.ts'
import { fillDatabase, subjectOf } from '../../scripts/bench/data.ts'
import { prepareEvents, SOURCE, typeOf } from '../../scripts/bench/event-rules.ts'
import { startServer } from '../../scripts/bench/process.ts'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../src/core/finding.ts'
import { unfold } from '../../src/economy/events/folded.ts'
import { createClock } from '../support/clock.ts'
import { engines } from '../support/engines.ts'
import { failsStatements } from '../support/serializable.ts'

const FANS = 40
const EVENTS = 100

async function findingsOf(db: Database) {
  const findings: Finding[] = []
  await verifyLedger(db, { onFinding: finding => findings.push(finding) })
  return findings
}

const skipped = failsStatements ? ' (skipped: statements fail, and the reference does not repeat them)' : ''

for (const engine of engines) {
  test.skipIf(failsStatements)(
    `a batch gets an event, an entry and scores for each event, in a sound ledger (${engine.name})${skipped}`,
    async () => {
      const { db, url, remove } = await engine.open(createClock())
      await fillDatabase(url ?? '', FANS)
      await prepareEvents(url ?? '', { types: 2 })
      // The fans of the bench have no scores of past weeks and months.
      const before = await findingsOf(db)
      const server = engine.name === 'SQLite' ? 'event-bulk.ts' : 'event-transactions.ts'
      const command = [process.execPath, `${import.meta.dir}/../../scripts/bench/servers/${server}`]
      const running = await startServer(command, { core: null, path: '/', env: { DATABASE_URL: url ?? '' } })
      try {
        const events = Array.from({ length: EVENTS }, (_, nth) => ({
          id: `scan-${nth}`,
          type: typeOf(nth % 2),
          fan: { provider: 'bench', subject: subjectOf((nth * 7) % FANS) },
          occurredAt: new Date().toISOString(),
          data: { gate: 7 },
        }))
        const send = async () => {
          const body = JSON.stringify({ events })
          const response = await fetch(running.origin, { method: 'POST', body })
          const { results } = (await response.json()) as { results: { outcome: string }[] }
          return results.map(({ outcome }) => outcome)
        }
        expect(await send()).toEqual(Array(EVENTS).fill('applied'))
        expect(await send()).toEqual(Array(EVENTS).fill('duplicate'))

        const stored = await db.read.select().from(db.tables.events)
        // No row for `points.changed`: each event has that of its entry.
        expect(stored.map(({ source, entryCount }) => [source, entryCount])).toEqual(
          Array(EVENTS).fill([SOURCE, 1]),
        )
        const told = await unfold(db.read, stored)
        for (const [, own] of Map.groupBy(told, ({ userId }) => userId))
          expect(own.map(({ sequence }) => Number(sequence)).toSorted((a, b) => a - b)).toEqual(
            own.map((_, nth) => nth + 1),
          )
        const entries = await db.read.select().from(db.tables.pointsEntries)
        expect(entries.filter(({ reason }) => reason === 'rule')).toHaveLength(EVENTS)
        expect(await findingsOf(db)).toEqual(before)
      } finally {
        await running.stop()
        await remove()
      }
    },
  )
}
