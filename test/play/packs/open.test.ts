import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { exampleProof } from '../../../src/play/packs/examples.ts'
import { findFlaw } from '../../../src/play/packs/proof.ts'
import { commandOf } from '../../support/executable.ts'
import { onEachEngine } from '../../support/world.ts'
import { addPack, buy, buyWithMoney, EUROS, FREE, HOLD, open, patientFan, refusal } from './packs-world.ts'
import { refundPack } from './refund-pack.ts'

interface DrawnItem {
  id: string
  rarity: string
  serialNumber: number
}

onEachEngine('POST /api/packs/open', world => {
  const free = (fields = {}) => addPack(world, { price: FREE, ...fields })

  test('draws the items, gives each a serial number, and proves the draw', async () => {
    const fan = await patientFan(world)
    const packId = await free({ itemsPerPack: 5 })
    const { userPack, seedHash } = await buy(fan, packId)
    world.clock.advance(1000)
    const { status, body } = await open(fan, userPack.id, 'up the harbour')
    expect(status).toBe(200)
    expect(body.userPack).toEqual({
      ...userPack,
      state: 'opened',
      openedAt: new Date(world.clock.ms).toISOString(),
    })
    expect(body.items.map(({ id }: DrawnItem) => id)).toEqual(body.proof.items)
    for (const { id, rarity } of body.items as DrawnItem[]) expect(id).toBe(`${packId}-${rarity}`)
    expect(body.proof).toMatchObject({
      seedHash,
      clientSeed: 'up the harbour',
      userPackId: userPack.id,
      packId,
    })
    expect(findFlaw(body.proof)).toBeNull()
  })

  test('draws without a client seed', async () => {
    const fan = await patientFan(world)
    const { userPack } = await buy(fan, await free())
    const { proof } = (await open(fan, userPack.id)).body
    expect([proof.clientSeed, findFlaw(proof)]).toEqual(['', null])
  })

  test('keeps no client seed of an erased fan, and no proof that could not be repeated', async () => {
    const fan = await patientFan(world)
    const [chosen, without] = [await buy(fan, await free()), await buy(fan, await free())]
    const copy = (await open(fan, chosen.userPack.id, 'Ada, 10 December')).body.proof
    await open(fan, without.userPack.id)
    const proofOf = (id: string) => world.anonymous.get(`/api/packs/proofs/${id}`)
    expect((await proofOf(chosen.userPack.id)).body).toEqual(copy)
    const kept = (await proofOf(without.userPack.id)).body
    await world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject: fan.subject }))
    expect(refusal(await proofOf(chosen.userPack.id))).toEqual([404, 'proof_not_found'])
    const { userPacks } = world.db.tables
    expect(JSON.stringify(await world.db.read.select().from(userPacks))).not.toContain('Ada')
    // The proof of the other pack needs no erased data, and a copy of the first proof still shows its draw.
    expect((await proofOf(without.userPack.id)).body).toEqual(kept)
    expect([findFlaw(kept), findFlaw(copy)]).toEqual([null, null])
  })

  test('accepts any text as a client seed', async () => {
    const fan = await patientFan(world)
    for (const seed of ['a:b:c', 'Ünïcödé ⚽️ 東京', '"\\\n\t', "'; drop table packs; --", 'x'.repeat(100)]) {
      const { userPack } = await buy(fan, await free())
      const { proof } = (await open(fan, userPack.id, seed)).body
      expect([proof.clientSeed, findFlaw(proof)]).toEqual([seed, null])
      expect((await world.anonymous.get(`/api/packs/proofs/${userPack.id}`)).body).toEqual(proof)
    }
  })

  test('a repeat returns the same, with any client seed and at any later time', async () => {
    const fan = await patientFan(world)
    const { userPack } = await buy(fan, await free())
    const first = await open(fan, userPack.id, 'first')
    for (const seed of ['first', 'second', undefined]) {
      world.clock.advance(HOLD)
      const again = await open(fan, userPack.id, seed)
      expect([again.status, again.body]).toEqual([200, first.body])
    }
  })

  test('one of 20 concurrent openings with different seeds draws, and all return that draw', async () => {
    const fan = await patientFan(world)
    const { userPack } = await buy(fan, await free())
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => open(fan, userPack.id, `seed ${n}`)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(answers[0]?.body.items.map(({ serialNumber }: DrawnItem) => serialNumber)).toHaveLength(3)
  })

  test('serial numbers run from 1 without a gap, also when 50 packs are opened at once', async () => {
    const fans = await Promise.all(Array.from({ length: 10 }, () => patientFan(world)))
    const packId = await free({ weights: { common: 500_000, rare: 300_000, epic: 200_000 } })
    const bought = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const fan = fans[n % 10] ?? (await patientFan(world))
        return { fan, userPackId: (await buy(fan, packId)).userPack.id }
      }),
    )
    const opened = await Promise.all(bought.map(({ fan, userPackId }) => open(fan, userPackId)))
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
    const drawn: DrawnItem[] = opened.flatMap(({ body }) => body.items)
    expect(drawn).toHaveLength(150)
    for (const id of new Set(drawn.map(item => item.id))) {
      const serials = drawn.filter(item => item.id === id).map(({ serialNumber }) => serialNumber)
      expect(serials.toSorted((a, b) => a - b)).toEqual(serials.map((_, n) => n + 1))
    }
  })

  test('packs that share a collectible share its serial numbers', async () => {
    const fan = await patientFan(world)
    const packId = await free({ itemsPerPack: 2, weights: { common: 1_000_000 } })
    const serials: number[] = []
    for (let n = 0; n < 3; n++) {
      const { items } = (await open(fan, (await buy(fan, packId)).userPack.id)).body
      serials.push(...items.map(({ serialNumber }: DrawnItem) => serialNumber))
    }
    expect(serials).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('an unknown pack, a pack of another fan and a revoked pack are 404 user_pack_not_found', async () => {
    const [owner, other] = [await patientFan(world), await patientFan(world)]
    const bought = await buy(owner, await free())
    const { userPack } = bought
    const answers = [
      await open(owner, 'no-such-pack'),
      await open(owner, bought.id),
      await open(other, userPack.id),
      await open(await patientFan(world), userPack.id),
    ]
    await world.db.write(tx => refundPack(tx, bought.id))
    answers.push(await open(owner, userPack.id))
    expect(answers.map(refusal)).toEqual(Array(5).fill([404, 'user_pack_not_found']))
    expect((await world.anonymous.get(`/api/packs/proofs/${userPack.id}`)).status).toBe(404)
  })

  test('refuses bodies that break the schema with 422 and says where', async () => {
    const fan = await patientFan(world)
    for (const [body, pointer] of [
      [{}, '/userPackId'],
      [{ userPackId: 'a', clientSeed: 7 }, '/clientSeed'],
      [{ userPackId: 'a', clientSeed: 'x'.repeat(101) }, '/clientSeed'],
      [{ userPackId: 'a', serverSeed: '00' }, '/serverSeed'],
    ] as const) {
      const answer = await fan.post('/api/packs/open', body)
      expect([answer.status, answer.body.errors?.[0].pointer]).toEqual([422, pointer])
    }
  })

  test('the proof is public once the pack is opened, and 404 proof_not_found before', async () => {
    const fan = await patientFan(world)
    const { id, userPack } = await buyWithMoney(fan, await free({ price: EUROS }))
    for (const name of [userPack.id, id, 'no-such-pack']) {
      const answer = await world.anonymous.get(`/api/packs/proofs/${name}`)
      expect(refusal(answer)).toEqual([404, 'proof_not_found'])
      // A cache that kept it would hide the proof that comes of opening.
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(refusal(await fan.get(`/api/packs/proofs/${name}`))).toEqual([404, 'proof_not_found'])
    }
    const { proof } = (await open(fan, userPack.id, 'mine')).body
    const published = await world.anonymous.get(`/api/packs/proofs/${userPack.id}`)
    expect([published.status, published.body]).toEqual([200, proof])
  })
})

onEachEngine('bun run verify-draw', world => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'matchday-proof-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('exits with 0 for the proof of an opened pack, and with 1 after a byte of it is changed', async () => {
    const fan = await patientFan(world)
    const { userPack } = await buy(fan, await addPack(world, { price: FREE }))
    const { proof } = (await open(fan, userPack.id, 'my luck')).body
    const file = join(folder, 'proof.json')
    await Bun.write(file, JSON.stringify(proof))
    const held = await verify(file)
    expect([held.code, held.out.includes(proof.seedHash)]).toEqual([0, true])
    for (const item of proof.items) expect(held.out).toContain(item)

    await Bun.write(file, JSON.stringify({ ...proof, clientSeed: 'my Luck' }))
    const broken = await verify(file)
    expect([broken.code, broken.out]).toEqual([1, ''])
    expect(broken.error).toStartWith('The proof is not valid')
  })
})

describe('bun run verify-draw with invalid arguments', () => {
  test('exits with 1 for a file that is not a proof, and with 2 for no file or three', async () => {
    expect((await verify('no-such-file.json')).code).toBe(1)
    expect((await verify('package.json')).code).toBe(1)
    expect((await verify()).code).toBe(2)
    expect((await verify('a.json', 'b.json', 'c.json')).code).toBe(2)
  })

  test('a number that would be rounded is refused before the draw is judged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'matchday-proof-'))
    const file = join(folder, 'proof.json')
    await Bun.write(file, JSON.stringify(exampleProof).replace(/}$/, ',"weight":9007199254740993}'))
    const { code, error } = await verify(file)
    expect([code, error]).toEqual([1, expect.stringContaining('/weight must be an integer of at most')])
    rmSync(folder, { recursive: true })
  })

  test('the example of the document is a valid proof', () => {
    expect(findFlaw(exampleProof)).toBeNull()
  })
})

async function verify(...files: string[]) {
  const child = Bun.spawn([...commandOf('scripts/verify-draw.ts'), ...files], {
    cwd: join(import.meta.dir, '../../..'),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, out, error }
}
