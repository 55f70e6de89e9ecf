/** `bun run redeem-code` as a command. */
import { expect, test } from 'bun:test'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run redeem-code', world => {
    const run = (...parameters: string[]) =>
      runScript('redeem-code', parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' } })

    async function redeemed(): Promise<string> {
      const fan = await world.fan()
      await fan.post('/api/user/profile', { displayName: 'Ana Ruiz' })
      const rewardId = await world.reward({ pointsRequired: 0, title: 'Home scarf' })
      await fan.post('/api/rewards/claim', { rewardId })
      return (await fan.post('/api/rewards/redeem', { rewardId })).body.reward.redemptionCode
    }

    test('shows the reward and the fan with --dry-run, and uses the code once without', async () => {
      const code = await redeemed()
      const typed = code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o')
      const dry = await run(typed, '--dry-run', '--json')
      expect([dry.code, JSON.parse(dry.out)]).toMatchObject([
        0,
        { code, usedAt: null, usedBy: null, dryRun: true, changed: 1 },
      ])
      const { code: exit, out } = await run(typed)
      expect(exit).toBe(0)
      expect(out).toStartWith(`${code}  used by operator at `)
      expect(out).toContain('Home scarf')
      expect(out).toContain('Ana Ruiz')

      const again = await run(code)
      expect([again.code, again.out]).toEqual([1, ''])
      expect(again.err).toMatch(/^already_used: Used by operator at \d{4}-/m)
      const dryAgain = await run(code, '--dry-run', '--json')
      expect([dryAgain.code, JSON.parse(dryAgain.out)]).toMatchObject([1, { usedBy: 'operator', changed: 0 }])
    })

    test('exits with 1 for an unknown code, and with 2 without one', async () => {
      const unknown = await run('0000-0000-0000-0000')
      expect([unknown.code, unknown.out]).toEqual([1, ''])
      expect(unknown.err).toContain('No redeemed reward and no voucher has this code.')
      expect((await run()).code).toBe(2)
    })
  })
}
