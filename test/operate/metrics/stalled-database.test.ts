/** A scrape while PostgreSQL does not answer. */
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { noServer, postgresEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { scrape } from './scrape.ts'

describe.skipIf(noServer !== '')(`A server that does not answer (PostgreSQL)${noServer}`, () => {
  onEngine(
    postgresEngine,
    'Metrics',
    world => {
      test('a scrape shows that backlogs are unknown, shows the rest, and recovers', async () => {
        const blocker = new SQL(world.databaseUrl ?? '', { max: 1 })
        const connection = await blocker.reserve()
        await connection.unsafe('BEGIN; LOCK TABLE webhook_deliveries IN ACCESS EXCLUSIVE MODE').simple()
        const stalled = await scrape(world)
        expect(stalled.value('matchday_backlog_read_success')).toBe(0)
        expect(stalled.text).not.toMatch(/^matchday_events_awaiting_distribution /m)
        expect(stalled.value('matchday_database_pool_size{server="primary"}')).toBeGreaterThan(0)

        await connection.unsafe('ROLLBACK')
        connection.release()
        await blocker.close()
        await waitUntil('the backlogs are read again', async () => {
          world.clock.advance(60_000)
          return (await scrape(world)).value('matchday_backlog_read_success') === 1
        })
      })
    },
    { env: { METRICS_PORT: '0' } },
  )
})
