/** Codes that eight processes redeem at the same time, and one fan or one campaign at its limit. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { onEngine } from '../../support/world.ts'
import { userIdOf } from '../packs/packs-world.ts'
import { addCampaign, addShared, generate } from './codes-world.ts'

const PROCESSES = 8
/** Codes that all processes redeem. `RACED_CODES=5000` takes minutes. */
const CODES = Number(process.env.RACED_CODES ?? 80)

for (const engine of engines) {
  onEngine(engine, 'Eight processes that redeem the same codes', world => {
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'matchday-codes-'))
    })
    afterAll(() => rmSync(folder, { recursive: true }))

    /** How many of all attempts had each outcome. Each process is another fan, unless `same`. */
    async function race(codes: string[], { same = false } = {}): Promise<Record<string, number>> {
      const file = join(folder, 'codes.txt')
      writeFileSync(file, codes.join('\n'))
      const fans: string[] = []
      for (let n = 0; n < (same ? 1 : PROCESSES); n++) {
        const fan = await world.fan()
        await fan.post('/api/user/onboarding', {})
        fans.push((await userIdOf(world, fan)) ?? '')
      }
      const children = Array.from({ length: PROCESSES }, (_, n) =>
        Bun.spawn(
          [
            ...commandOf('test/play/codes/racing-process.ts'),
            ...[world.databaseUrl ?? '', fans[n % fans.length] ?? '', file],
            // The first two start at the same code, the others in between.
            String(Math.floor((Math.max(0, n - 1) * codes.length) / PROCESSES)),
          ],
          { cwd: `${import.meta.dir}/../../..`, stdout: 'pipe', stderr: 'pipe' },
        ),
      )
      const sum: Record<string, number> = {}
      for (const child of children) {
        const [out, err] = await Promise.all([
          new Response(child.stdout).text(),
          new Response(child.stderr).text(),
        ])
        if ((await child.exited) !== 0) throw new Error(err)
        for (const [outcome, count] of Object.entries<number>(JSON.parse(out)))
          sum[outcome] = (sum[outcome] ?? 0) + count
      }
      return sum
    }

    async function rowsOf(campaignId: string) {
      const { campaigns, codeRedemptions } = world.db.tables
      const { read } = world.db
      const [campaign] = await read.select().from(campaigns).where(eq(campaigns.id, campaignId))
      const redemptions = await read
        .select()
        .from(codeRedemptions)
        .where(eq(codeRedemptions.campaignId, campaignId))
      return { redeemed: campaign?.redeemed, redemptions }
    }

    test('give each code once', async () => {
      const campaignId = await addCampaign(world, { perFan: CODES, gives: { points: 3 } })
      const {
        redeemed = 0,
        code_used = 0,
        already_redeemed = 0,
        ...others
      } = await race(await generate(world, campaignId, CODES))
      expect([redeemed, others]).toEqual([CODES, {}])
      expect(code_used + already_redeemed).toBe((PROCESSES - 1) * CODES)
      const rows = await rowsOf(campaignId)
      expect(rows.redeemed).toBe(CODES)
      expect(new Set(rows.redemptions.map(({ codeHash }) => codeHash)).size).toBe(CODES)
      const { pointsEntries } = world.db.tables
      const entries = await world.db.read.select().from(pointsEntries).where(eq(pointsEntries.reason, 'code'))
      const refs = new Set(rows.redemptions.map(({ id }) => id))
      expect(entries.filter(({ ref, delta }) => refs.has(ref) && delta === 3)).toHaveLength(CODES)
    }, 600_000)

    test('give one fan no more than a fan can have', async () => {
      const campaignId = await addCampaign(world, { perFan: 5 })
      const codes = await generate(world, campaignId, 20)
      const { redeemed } = await race(codes, { same: true })
      expect(redeemed).toBe(5)
      expect((await rowsOf(campaignId)).redemptions).toHaveLength(5)
    })

    test('give no more than the total of a shared code', async () => {
      const { id, code } = await addShared(world, { perFan: 20, total: 33 })
      const { redeemed, campaign_over } = await race(Array(10).fill(code))
      expect([redeemed, campaign_over]).toEqual([33, 47])
      expect(await rowsOf(id)).toMatchObject({ redeemed: 33, redemptions: Array(33).fill({}) })
    })
  })
}
