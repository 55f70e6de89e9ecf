/** A deferred sync survives a crash of the process: real processes, one of which is killed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { control } from '../auth/provider-controls.ts'

for (const engine of engines) {
  describe(`Deferred sync across a crash (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let api: RunningApi | undefined

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      provider = await startProvider({ fans: 5 })
    })
    afterAll(async () => {
      await api?.stop()
      await provider.stop()
      await temporary.remove()
    })

    test('is retried by the process that starts after the crash', async () => {
      const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }
      const token = await provider.idp.issueToken('fan-0001')
      const onboarding = async (method: string) => {
        const headers = { authorization: `Bearer ${token}` }
        const response = await fetch(`${api?.origin}/api/user/onboarding`, { method, headers })
        return (await response.json()) as { state: string; identitySync: string }
      }

      api = await startApi(env)
      await control(provider, 'POST', '/faults', { match: 'userinfo', kind: 'status', status: 500 })
      expect(await onboarding('POST')).toMatchObject({ state: 'completed', identitySync: 'deferred' })
      await api.stop('SIGKILL')

      await control(provider, 'DELETE', '/faults')
      const { deferredSyncs } = temporary.db.tables
      const put = await temporary.db.write(tx =>
        // As if the process had been down until the attempt was due.
        tx
          .update(deferredSyncs)
          .set({ nextAttemptAt: new Date(0) })
          .returning(),
      )
      expect(put).toHaveLength(1)

      api = await startApi(env)
      await waitUntil('the sync is retried', async () => (await onboarding('GET')).identitySync === 'synced')
      expect(await temporary.db.read.select().from(deferredSyncs)).toEqual([])
    })
  })
}
