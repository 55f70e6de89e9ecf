/** The session that the consumers of the package compile, against the real application. Its world has no other rewards. */
import { expect, test } from 'bun:test'
import { addPack } from '../play/packs/packs-world.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runFanSession } from './consumer/fan-session.ts'
import { SESSION } from './session-log.ts'

onEngine(sqliteEngine, 'A session of the client', world => {
  test('takes a fan from sign-in to sign-out', async () => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    await world.reward({ id: 'scarf', pointsRequired: 100 })
    await world.reward({ id: 'shirt', pointsRequired: 5000 })
    await addPack(world, { id: 'starter', price: { amount: 50, currency: 'POINTS' } })
    const { subject } = await world.fan()
    const origin = `http://127.0.0.1:${world.app.server?.port}`
    const log = await runFanSession(origin, await world.idp.issueToken(subject))
    expect(log).toEqual(SESSION)
  })
})
