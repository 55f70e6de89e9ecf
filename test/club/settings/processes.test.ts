/** Settings in several processes: an import in one, the effect in others, and variables that win in theirs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { runScript } from '../../scripts/run-script.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'

for (const engine of engines.filter(({ name }) => name !== 'PGlite'))
  describe(`Settings in several processes (${engine.name})`, () => {
    let [database, provider, token]: [TemporaryDatabase?, RunningProvider?, string?] = []
    let apis: RunningApi[] = []
    const variable = { TERMS_VERSION: 'of-the-environment' }

    beforeAll(async () => {
      database = await engine.open(createClock())
      provider = await startProvider({ fans: 2 })
      token = await provider.idp.issueToken('fan-0001')
      const env = { DATABASE_URL: database.url ?? '', IDP_ISSUER: provider.issuer }
      apis = await Promise.all([startApi(env), startApi(env), startApi({ ...env, ...variable })])
    })

    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop()))
      await provider?.stop()
      await database?.remove()
    })

    const run = (name: string, parameters: string[], input = '', env: Record<string, string> = {}) =>
      runScript(name, parameters, { env: { DATABASE_URL: database?.url ?? '', ...env }, input })

    async function importSettings(settings: object) {
      const { code, out, err } = await run('import-catalog', ['-', '--json'], JSON.stringify({ settings }))
      expect([code, err]).toEqual([0, ''])
      return JSON.parse(out)
    }

    const required = () =>
      Promise.all(
        apis.map(async ({ origin }) => {
          const response = await fetch(`${origin}/api/user/terms`, {
            headers: { authorization: `Bearer ${token}` },
          })
          // Guarantee of the cast: the response of the operation.
          return ((await response.json()) as { required: string | null }).required
        }),
      )

    test('a change is in force in each process, unless a variable of the process wins', async () => {
      expect(await required()).toEqual([null, null, 'of-the-environment'])
      const { changed } = await importSettings({ termsVersion: '2026-11' })
      expect(changed).toBe(1)
      await waitUntil('the new terms', async () => (await required()).slice(0, 2).every(v => v === '2026-11'))
      expect(await required()).toEqual(['2026-11', '2026-11', 'of-the-environment'])
    })

    test('an export has what the club has stated, names variables that win, and changes nothing', async () => {
      const settings = { onboardingPoints: 40, reservedHandles: ['kop'] }
      await importSettings(settings)
      const { out, err } = await run('export-catalog', ['--kind', 'settings'], '', variable)
      expect(err).toBe('settings/termsVersion is set by TERMS_VERSION, which wins over the catalogue.\n')
      expect(JSON.parse(out)).toEqual({
        settings: expect.objectContaining({ ...settings, termsVersion: null }),
      })
      const again = await importSettings(JSON.parse(out).settings)
      expect([again.changed, again.unchanged]).toEqual([0, 1])
    })

    test('an invalid value is refused with its place, and nothing is written', async () => {
      const text = JSON.stringify({ settings: { pointsExpireAfterDays: 7 } }, null, 1)
      const { code, out } = await run('import-catalog', ['-'], text)
      expect([code, out]).toEqual([
        1,
        'line 3: /settings/pointsExpireAfterDays must be 0, or at least 31: fans are warned 30 days before\n1 error; nothing was written.\n',
      ])
    })
  })
