/** The log of a process while its PostgreSQL server is down. */
import { expect, test } from 'bun:test'
import { realSources } from '../../src/core/sources.ts'
import { noServer, postgresEngine } from '../support/engines.ts'
import { startApi, startProvider } from '../support/processes.ts'
import { startRelay } from '../support/relay.ts'
import { waitUntil } from '../support/wait-until.ts'

interface Line {
  time: string
  error?: { type: string; code?: string; stack?: string[]; stacksOmitted?: number }
}

/** Timers of the process may be late by this time. Milliseconds. */
const SECOND_MS = 990

test.skipIf(noServer !== '')(
  `A server that is gone is one stack trace a second in the log, and the others are counted (PostgreSQL)${noServer}`,
  async () => {
    const direct = await postgresEngine.open(realSources)
    const url = new URL(direct.url ?? '')
    const relay = startRelay(url)
    url.hostname = '127.0.0.1'
    url.port = String(relay.port)
    const provider = await startProvider()
    const api = await startApi({ DATABASE_URL: url.href, IDP_ISSUER: provider.issuer })
    try {
      const before = api.output.length
      relay.cut()
      const failed = () =>
        api.output
          .slice(before)
          .map(line => JSON.parse(line) as Line)
          .filter(({ error }) => error)
      const traces = () => failed().filter(({ error }) => error?.stack)
      await waitUntil('it is gone for three seconds', async () => {
        expect((await fetch(`${api.origin}/api/leaderboard`)).status).toBe(503)
        return traces().length > 3
      })
      const times = traces().map(({ time }) => Date.parse(time))
      for (const [n, time] of times.slice(1).entries())
        expect(time - (times[n] ?? 0)).toBeGreaterThanOrEqual(SECOND_MS)
      const [, ...later] = traces()
      const omitted = later.reduce((sum, { error }) => sum + (error?.stacksOmitted ?? 0), 0)
      expect(omitted).toBeGreaterThan(10)
      // Each failure has its line, with its cause.
      expect(failed().length).toBeGreaterThanOrEqual(omitted + times.length)
      expect(failed().every(({ error }) => error?.type)).toBe(true)
    } finally {
      await api.stop('SIGKILL')
      await provider.stop()
      relay.stop()
      await direct.remove()
    }
  },
)
