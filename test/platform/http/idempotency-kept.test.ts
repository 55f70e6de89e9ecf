/** Responses that are stored under an Idempotency-Key and for how long, and those that are not. */
import { expect, test } from 'bun:test'
import { startBackground } from '../../../src/app/background.ts'
import { sweepIdempotencyKeys } from '../../../src/platform/http/idempotency/key-store.ts'
import { deleted, deliver } from '../../identity/users/deliveries.ts'
import { addPack, DAY, EUROS, patientFan, refusal, start } from '../../play/packs/packs-world.ts'
import type { Answer } from '../../support/client.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'

const PURCHASE = '/api/packs/purchase'
const under = (key: string) => ({ 'idempotency-key': key })
const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

onEachEngine('What an Idempotency-Key keeps', world => {
  const keptKeys = () => world.db.read.select().from(world.db.tables.idempotencyKeys)

  test('a key is kept for 24 hours, then counts as absent, whether or not it is deleted', async () => {
    const fan = await patientFan(world, 100)
    const packId = await addPack(world)
    const ask = () => fan.post(PURCHASE, { packId }, under('a day'))
    const { body: first } = await ask()
    world.clock.advance(DAY - 1)
    expect((await ask()).body.id).toBe(first.id)
    world.clock.advance(1)
    const second = await ask()
    expect([second.status, isReplayed(second)]).toEqual([201, false])
    expect(second.body.id).not.toBe(first.id)
    const third = await ask()
    expect([isReplayed(third), third.body.id]).toEqual([true, second.body.id])
  })

  test('the sweep deletes all expired rows in batches, and no others', async () => {
    const { idempotencyKeys } = world.db.tables
    world.clock.advance(DAY)
    await sweepIdempotencyKeys(world.db)
    const at = world.clock.ms
    const row = (n: number) => ({
      ...{ provider: 'mock-idp', subject: `sub-${n}`, route: 'POST /x', key: 'k', fingerprint: 'f' },
      ...{ status: 200, response: '{}', expiresAt: new Date(at + (n < 450 ? 0 : 1)) },
    })
    await world.db.write(tx =>
      tx.insert(idempotencyKeys).values(Array.from({ length: 455 }, (_, n) => row(n))),
    )
    expect(await sweepIdempotencyKeys(world.db)).toBe(450)
    expect(await keptKeys()).toHaveLength(5)
    world.clock.advance(1)
    expect(await sweepIdempotencyKeys(world.db)).toBe(5)
  })

  test('the background sweeps as soon as it starts', async () => {
    const fan = await patientFan(world)
    await fan.post('/api/user/profile', {}, under('swept'))
    world.clock.advance(DAY)
    const background = startBackground(world.deps)
    await waitUntil('no key is kept', async () => (await keptKeys()).length === 0)
    await background.stop()
  })

  test('stored responses are deleted with a user that the provider deletes, and those of no other fan', async () => {
    const [leaving, staying] = [await patientFan(world), await patientFan(world)]
    for (const fan of [leaving, staying]) await fan.post('/api/user/profile', { bio: 'x' }, under('gone'))
    expect((await deliver(world, deleted(world, leaving.subject))).status).toBe(204)
    const rows = (await keptKeys()).filter(({ key }) => key === 'gone')
    expect(rows.map(({ subject }) => subject)).toEqual([staying.subject])
  })

  test('a response with a secret is not stored: a repeat runs again and is not marked as replayed', async () => {
    const fan = await patientFan(world)
    const purchaseId = (await start(fan, await addPack(world, { price: EUROS }))).body.id
    const prepare = (id: string) => fan.post(`${PURCHASE}/payment`, { purchaseId: id }, under('secret'))
    const first = await prepare(purchaseId)
    const again = await prepare(purchaseId)
    expect([first.status, again.status, isReplayed(first), isReplayed(again)]).toEqual([
      200,
      200,
      false,
      true,
    ])
    expect(again.body).toEqual(first.body)
    expect(refusal(await prepare('another'))).toEqual([422, 'idempotency_key_reused'])
    const rows = (await keptKeys()).filter(({ key }) => key === 'secret')
    expect(rows).toMatchObject([{ status: 200, response: null }])
  })
})
