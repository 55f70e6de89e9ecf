/** A process that starts while the identity provider is down: by the keys of an earlier process, on the same database. */
import { expect, test } from 'bun:test'
import { createClock } from '../../support/clock.ts'
import { engines } from '../../support/engines.ts'
import { startApi, startProvider } from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'

/** PGlite runs in the process that opens it. */
for (const engine of engines.filter(({ name }) => name === 'SQLite' || process.env.TEST_POSTGRES_URL)) {
  test(`a process that starts without the provider accepts its tokens (${engine.name})`, async () => {
    const provider = await startProvider({ fans: 5 })
    const opened = await engine.open(createClock())
    const env = { DATABASE_URL: opened.url ?? '', IDP_ISSUER: provider.issuer }
    try {
      const token = await provider.idp.issueToken('fan-0001')
      const forged = await provider.idp.issueToken('fan-0001', { defect: 'wrong_key' })
      const first = await startApi(env)
      await waitUntil(
        'the keys are stored',
        async () => (await opened.db.read.select().from(opened.db.tables.providerKeys)).length > 0,
      )
      expect(await first.stop()).toBe(0)
      await provider.stop()

      const second = await startApi(env)
      const statusOf = async (path: string, bearer: string) =>
        (await fetch(second.origin + path, { headers: { authorization: `Bearer ${bearer}` } })).status
      await waitUntil('it is ready', async () => (await statusOf('/readyz', token)) === 200)
      expect(await statusOf('/api/user/points', token)).toBe(200)
      expect(await statusOf('/api/user/points', forged)).toBe(401)
      expect(second.output.join()).toContain('keys from before the start are used')
      expect(await second.stop()).toBe(0)
    } finally {
      await opened.remove()
    }
  })
}
