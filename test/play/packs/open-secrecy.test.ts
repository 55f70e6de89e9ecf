import { expect, test } from 'bun:test'
import { createApp } from '../../../src/app/app.ts'
import type { Deps } from '../../../src/app/deps.ts'
import { type Client, createClient } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import {
  addPack,
  complete,
  EUROS,
  HOLD,
  open,
  patientFan,
  purchaseRows,
  receipt,
  refusal,
  start,
} from './packs-world.ts'
import { refundPack } from './refund-pack.ts'

onEachEngine('The server seed before its pack is opened', world => {
  /** Every answer of the test, headers and all. */
  const answered: string[] = []

  /** A client whose answers are kept. */
  function overheard(token?: string, app = world.app): Client {
    async function handle(request: Request) {
      const response = await app.handle(request)
      answered.push(JSON.stringify([...response.headers]), await response.clone().text())
      return response
    }
    return createClient(handle, () => null, token)
  }

  /** A seed in each way that somebody might have written it. */
  const spellings = (seed: string) => {
    const bytes = Buffer.from(seed, 'hex')
    return [
      seed,
      seed.toUpperCase(),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      [...bytes].join(),
    ]
  }
  const findSeed = (texts: string[], seeds: string[]) =>
    texts.filter(text => seeds.flatMap(spellings).some(spelling => text.includes(spelling)))

  /** The application, whose new ids are all this one: what it inserts fails, seed in hand. */
  function withIds(id: string) {
    const { deps } = world
    const write: Deps['db']['write'] = work =>
      deps.db.write(tx => work(Object.assign(Object.create(tx), { newId: () => id })))
    return createApp({ ...deps, db: { ...deps.db, write } })
  }

  test('is in no response and no line of the log, on success, refusal and error', async () => {
    const { subject, token } = await patientFan(world, 200)
    const fan = overheard(token)
    const other = overheard((await patientFan(world)).token)
    const [inPoints, inMoney] = [await addPack(world, { supply: 3 }), await addPack(world, { price: EUROS })]

    const { body: paid } = await start(fan, inPoints)
    const { body: poor } = await start(fan, inPoints)
    const { body: owed } = await start(fan, inMoney)
    const { body: forgotten } = await start(fan, inMoney)
    const bought = await complete(fan, paid.id)
    await world.grant({ subject }, -50)
    await complete(fan, paid.id)
    expect(refusal(await complete(fan, poor.id))).toEqual([409, 'insufficient_points'])
    await fan.post('/api/packs/purchase/payment', { purchaseId: owed.id })
    expect(refusal(await complete(fan, owed.id, await receipt(fan, owed.id, 'partial')))[0]).toBe(402)
    await complete(fan, owed.id, await receipt(fan, owed.id))
    world.clock.advance(HOLD)
    expect(refusal(await complete(fan, forgotten.id))).toEqual([409, 'purchase_expired'])

    const userPackId = bought.body.userPack.id
    expect((await open(other, userPackId)).status).toBe(404)
    expect((await open(fan, userPackId, 'x'.repeat(101))).status).toBe(422)
    for (const path of [
      '/api/packs',
      `/api/packs/${inPoints}`,
      `/api/packs/proofs/${userPackId}`,
      `/api/packs/proofs/${paid.id}`,
      '/api/user/packs',
      '/api/user/collection',
      '/api/user/points',
      '/api/user/profile',
    ]) {
      await fan.get(path)
    }
    await start(other, inPoints)
    await world.db.write(tx => refundPack(tx, owed.id))
    const linesBefore = world.logged.length
    const broken = await start(overheard(token, withIds(paid.id)), inMoney)
    expect(refusal(broken)).toEqual([500, 'internal_error'])
    expect(world.logged.slice(linesBefore).join('')).toContain('"level":50')

    const seeds = (await purchaseRows(world)).map(({ serverSeed }) => serverSeed)
    expect(new Set(seeds).size).toBe(4)
    expect(answered.length).toBeGreaterThan(40)
    expect(findSeed(answered, seeds)).toEqual([])
    expect(findSeed(world.logged, seeds)).toEqual([])

    // Opening reveals one seed, to every reader of the proof, and still not to the log.
    const { body } = await open(fan, userPackId)
    await open(fan, userPackId)
    expect(seeds).toContain(body.proof.serverSeed)
    expect(findSeed(answered, [body.proof.serverSeed])).toHaveLength(2)
    const sealed = seeds.filter(seed => seed !== body.proof.serverSeed)
    expect(findSeed(answered, sealed)).toEqual([])
    expect(findSeed(world.logged, seeds)).toEqual([])
  })
})
