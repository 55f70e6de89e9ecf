/** `bun run event-sink` as a command. */
import { expect, test } from 'bun:test'
import { openSink, takeLease } from '../../src/delivery/event-sink/sink.ts'
import { distributeAll, happen, newFan } from '../delivery/webhooks/webhooks-world.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run event-sink', world => {
    const run = async (...parameters: string[]) => {
      const env = { DATABASE_URL: world.databaseUrl ?? '' }
      const { code, out, err } = await runScript('event-sink', [...parameters, '--json'], { env })
      return { code, err, ...JSON.parse(out || '{}') }
    }

    test('shows the backlog, and removes a sink for which no process publishes', async () => {
      world.clock.ms = Date.now()
      expect(await run('show')).toMatchObject({ code: 0, sink: null })
      await world.db.write(openSink)
      await happen(world, await newFan(world))
      await distributeAll(world)
      const backlog = { events: 1, since: world.clock.now().toISOString() }
      expect(await run('show')).toMatchObject({ sink: { position: 0, isPublishing: false, backlog } })
      // The command has the clock of the machine, and may start after a lease that begins now has ended.
      world.clock.advance(600_000)
      await world.db.write(tx => takeLease(tx, 'a process'))
      expect((await run('show')).sink.isPublishing).toBe(true)
      const refused = await run('remove', '--yes')
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('A process publishes')])
      await world.db.write(tx =>
        tx.update(tx.tables.eventSinks).set({ leaseHolder: null, leaseEndsAt: null }),
      )
      expect(await run('remove')).toMatchObject({ code: 0, done: false })
      expect(await run('remove', '--yes')).toMatchObject({ code: 0, done: true })
      expect(await run('show')).toMatchObject({ sink: null })
      expect(await run('remove', '--yes')).toMatchObject({ code: 0, done: false })
      expect(await run('show', '--yes')).toMatchObject({ code: 2 })
    })
  })
}
