/** `bun run codes` as a command. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settingsKind } from '../../src/club/settings/settings-kind.ts'
import { addCampaign, addShared, generateOne, outcomeOf } from '../play/codes/codes-world.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run codes', world => {
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'matchday-codes-'))
    })
    afterAll(() => rmSync(folder, { recursive: true }))
    const run = (...parameters: string[]) =>
      runScript('codes', parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' } })

    test('generates codes that work, into a file of its owner, once', async () => {
      const campaignId = await addCampaign(world)
      const out = join(folder, 'codes.txt')
      const planned = await run('generate', campaignId, '--count', '3', '--dry-run')
      expect([planned.err, planned.out]).toEqual(['', '3 codes would be generated.\n'])
      const made = await run('generate', campaignId, '--count', '1001', '--out', out)
      expect([made.code, made.out]).toEqual([
        0,
        `1001 codes of ${campaignId} are in ${out}. They are not shown again.\n`,
      ])
      const codes = readFileSync(out, 'utf8').trimEnd().split('\n')
      expect(new Set(codes).size).toBe(1001)
      expect(codes.every(code => /^([0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/.test(code))).toBe(true)
      expect(statSync(out).mode & 0o077).toBe(0)
      expect(await outcomeOf(await world.fan(), codes.at(-1) ?? '')).toBe(200)
      const again = await run('generate', campaignId, '--count', '1', '--out', out)
      expect([again.code, again.err]).toEqual([1, `${out} already exists.\n`])
      const missing = join(folder, 'missing')
      const nowhere = await run('generate', campaignId, '--count', '1', '--out', join(missing, 'codes.txt'))
      expect([nowhere.code, nowhere.err]).toEqual([
        1,
        `The folder ${missing} does not exist: create it first, or name a file in another one.\n`,
      ])
      const { id } = await addShared(world)
      const shared = await run('generate', id, '--count', '1', '--out', join(folder, 'none.txt'))
      expect([shared.code, shared.err]).toEqual([1, expect.stringContaining('one code')])
    })

    test('voids the unused codes of a file, or all, and never a redeemed one', async () => {
      const campaignId = await addCampaign(world)
      const [used, lost, other] = [
        await generateOne(world, campaignId),
        await generateOne(world, campaignId),
        await generateOne(world, campaignId),
      ]
      const fan = await world.fan()
      expect(await outcomeOf(fan, used)).toBe(200)
      const file = join(folder, 'lost.txt')
      writeFileSync(file, `${used}\r\n${lost.toLowerCase()}\n\n`)
      const planned = await run('void', campaignId, '--file', file, '--dry-run')
      expect(planned.out).toBe('1 codes would be voided.\n')
      expect((await run('void', campaignId, '--file', file)).out).toBe('1 codes are voided.\n')
      expect(await outcomeOf(await world.fan(), lost)).toBe('code_not_found')
      expect((await run('void', campaignId, '--all')).out).toBe('1 codes are voided.\n')
      expect(await outcomeOf(await world.fan(), other)).toBe('code_not_found')
      expect(await outcomeOf(fan, used)).toBe('already_redeemed')
      writeFileSync(file, 'x\n')
      const wrong = await run('void', campaignId, '--file', file)
      expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('line 1 of')])
    })

    test('reports by days of the club', async () => {
      const { ms } = world.clock
      await world.db.write(tx => settingsKind.upsert(tx, { id: 'club', timeZone: 'Pacific/Kiritimati' }))
      const campaignId = await addCampaign(world)
      // 9:30 in UTC is 23:30 there, fourteen hours ahead.
      world.clock.advance(86_400_000 - (world.clock.ms % 86_400_000) + 9.5 * 3_600_000)
      const day = world.clock.now().toISOString().slice(0, 10)
      await outcomeOf(await world.fan(), await generateOne(world, campaignId))
      world.clock.advance(3_600_000)
      const next = new Date(world.clock.ms + 86_400_000).toISOString().slice(0, 10)
      await outcomeOf(await world.fan(), await generateOne(world, campaignId))
      const { out } = await run('report', campaignId, '--csv')
      expect(out.trimEnd().split('\r\n')).toEqual(['day,redemptions,fans', `${day},1,1`, `${next},1,1`])
      await world.db.write(tx => settingsKind.upsert(tx, { id: 'club' }))
      world.clock.advance(ms - world.clock.ms)
    })

    test('reports by day, without names', async () => {
      const campaignId = await addCampaign(world, { total: 9, perFan: 2 })
      const fan = await world.fan()
      await outcomeOf(fan, await generateOne(world, campaignId))
      await outcomeOf(fan, await generateOne(world, campaignId))
      const day = world.clock.now().toISOString().slice(0, 10)
      world.clock.advance(86_400_000)
      await outcomeOf(await world.fan(), await generateOne(world, campaignId))
      await generateOne(world, campaignId)
      const next = world.clock.now().toISOString().slice(0, 10)
      const { out } = await run('report', campaignId, '--csv')
      expect(out.trimEnd().split('\r\n')).toEqual(['day,redemptions,fans', `${day},2,1`, `${next},1,1`])
      const { out: json } = await run('report', campaignId, '--json')
      expect(JSON.parse(json)).toMatchObject({ redeemed: 3, total: 9, generated: 4, unused: 1, voided: 0 })
      expect((await run('report', 'no-such-campaign')).code).toBe(1)
      expect((await run('report', campaignId, '--all')).code).toBe(2)
    })
  })
}
