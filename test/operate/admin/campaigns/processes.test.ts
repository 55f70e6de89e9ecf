/** Campaigns of real processes: several at once on one database, and killed at any unit of work. */
import { expect, test } from 'bun:test'
import { titlesOf } from '../../../fan/messages/messages-world.ts'
import { commandOf } from '../../../support/executable.ts'
import { onEachEngine } from '../../../support/world.ts'
import { addCampaign, fansIn } from './campaigns-world.ts'

onEachEngine(
  'A campaign of processes',
  world => {
    if (world.databaseUrl === null) return

    const run = (...parameters: string[]) =>
      Bun.spawn(
        [
          ...commandOf('test/operate/admin/campaigns/campaign-process.ts'),
          ...[world.databaseUrl ?? '', String(world.clock.ms), ...parameters],
        ],
        { cwd: `${import.meta.dir}/../../../..`, stdout: 'pipe', stderr: 'pipe' },
      )

    async function finish(child: ReturnType<typeof run>) {
      if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
    }

    test('reaches each fan once by three at the same time', async () => {
      const fans = await fansIn(world, 'DK', 20)
      const campaign = await addCampaign(world, 'DK')
      await campaign.start()
      const children = Array.from({ length: 3 }, () => run())
      for (const child of children) await finish(child)
      for (const fan of fans) expect(await titlesOf(fan)).toEqual([campaign.title])
      expect(await campaign.report()).toMatchObject({ state: 'finished', fans: 20, sent: 20, left: 0 })
    })

    // The first unit of work fixes the fans, the last one ends the campaign.
    test.each([
      ['before', 1, 0],
      ['after', 1, 0],
      ['before', 3, 3],
      ['after', 3, 6],
      ['before', 8, 18],
      ['before', 9, 20],
      ['after', 9, 20],
    ] as const)(
      'reaches each fan once when one is killed %s the commit of unit of work %d, and staff stop it meanwhile',
      async (when, last, reached) => {
        const fans = await fansIn(world, 'IS', 20)
        const campaign = await addCampaign(world, 'IS')
        await campaign.start()
        const killed = run(String(last), when)
        await killed.exited
        expect(killed.signalCode).toBe('SIGKILL')
        const count = async () => (await Promise.all(fans.map(titlesOf))).flat().length
        expect(await count()).toBe(reached)
        const isFinished = (await campaign.report()).state === 'finished'
        if (!isFinished) {
          await campaign.stop()
          await finish(run())
          expect(await count()).toBe(reached)
          await campaign.start()
        }
        for (const child of [run(), run()]) await finish(child)
        for (const fan of fans) expect(await titlesOf(fan)).toEqual([campaign.title])
        expect(await campaign.report()).toMatchObject({ state: 'finished', fans: 20, sent: 20, queued: 0 })
      },
    )
  },
  { worldPer: 'test' },
)
