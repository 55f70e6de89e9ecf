/** `bun run verify-ledger` as a command. */
import { expect, test } from 'bun:test'
import { withoutRules } from '../db/probe.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { engines } from '../support/engines.ts'
import { onEngine, type World } from '../support/world.ts'
import { runScript } from './run-script.ts'

const run = (world: World, ...parameters: string[]) =>
  runScript('verify-ledger', parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' } })

for (const engine of engines) {
  onEngine(engine, 'bun run verify-ledger', world => {
    test('exits with 0 and a digest that changes with the ledger, and with 1 and the findings', async () => {
      const fan = await world.fan()
      expectStatus(200, await fan.post('/api/user/onboarding', {}))
      const digestOf = async () => JSON.parse((await run(world, '--json')).out).digest
      const first = await run(world)
      expect(first).toMatchObject({ code: 0 })
      expect(first.out).toContain('No findings in 1 fans, 1 entries')
      const before = await digestOf()
      expect(first.out).toContain(before)
      await world.grant(fan, 5)
      expect(await digestOf()).not.toBe(before)

      const { id } = expectStatus(200, await fan.get('/api/user/profile'))
      await withoutRules({ db: world.db, url: world.databaseUrl }, statement =>
        statement("UPDATE points_entries SET ref = 'other' WHERE seq = 2"),
      )
      const broken = await run(world)
      expect(broken.code).toBe(1)
      expect(broken.out).toContain(`fan ${id}, entry 2: points_entries.hash is `)
      const { code, out } = await run(world, '--json', '--max', '0')
      expect([code, JSON.parse(out)]).toMatchObject([1, { found: 1, findings: [] }])
    })
  })
}
