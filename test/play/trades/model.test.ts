/** Offers, merges of fans, and a pack whose item the club keeps from trades, in any order: one after the other as a small model says, at once without losing or doubling an item. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import type { Transaction } from '../../../db/index.ts'
import { verifyProvenance } from '../../../src/audit/runs/verify-provenance.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { itemFaults, readItemRows } from '../../crash/item-invariants.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import type { Answer } from '../../support/client.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { accept, type Item, offer } from './trades-world.ts'

const FANS = 3
const ITEMS = 5
/** The item of a pack. */
const PACKED = 0
const HOUR = 3_600_000
const REST = 24 * HOUR
const OPEN = 7 * 24 * HOUR

type Step =
  | { kind: 'offer'; from: number; to: number; give: number[]; want: number[] }
  /** `nth`: index of the offer, modulo the number of offers; `by`: one of the fans. */
  | { kind: 'accept' | 'decline' | 'cancel'; nth: number; by: number }
  | { kind: 'merge'; from: number; into: number }
  /** Whether the item `PACKED` may be traded. */
  | { kind: 'tradable'; value: boolean }

const fan = fc.nat(FANS - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(fan, fan, fc.uniqueArray(fc.nat(ITEMS - 1), { minLength: 1, maxLength: 3 }), fc.nat(2))
      .map(([from, to, items, wanted]) => {
        const cut = Math.max(1, items.length - wanted)
        return { kind: 'offer' as const, from, to, give: items.slice(0, cut), want: items.slice(cut) }
      }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const), from: fan, into: fan }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tradable' as const), value: fc.boolean() }) },
  {
    weight: 15,
    arbitrary: fc.record({
      kind: fc.constantFrom(...(['accept', 'accept', 'accept', 'decline', 'cancel'] as const)),
      nth: fc.nat(6),
      by: fan,
    }),
  },
)
const wait = fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(HOUR, REST, OPEN) })

const gift = (from: number, to: number): Step => ({ kind: 'offer', from, to, give: [0], want: [] })
const accepted = (nth: number, by: number): Step => ({ kind: 'accept', nth, by })
const tradable = (value: boolean): Step => ({ kind: 'tradable', value })
const merged = (from: number, into: number): Step => ({ kind: 'merge', from, into })

/** Paths that few random steps take. */
const EXAMPLES: (Step | { kind: 'wait'; ms: number })[][] = [
  // The item has left, and comes back and rests.
  [gift(0, 1), gift(0, 2), accepted(0, 1), accepted(1, 2)],
  [
    ...[gift(0, 1), gift(0, 2), accepted(0, 1), { kind: 'wait' as const, ms: REST }],
    ...[gift(1, 0), accepted(2, 0), accepted(1, 2), gift(0, 1)],
  ],
  [
    ...[gift(0, 1), { kind: 'wait' as const, ms: OPEN }, accepted(0, 1)],
    ...[
      { kind: 'decline' as const, nth: 0, by: 1 },
      { kind: 'cancel' as const, nth: 0, by: 0 },
    ],
  ],
  [gift(0, 1), { kind: 'cancel', nth: 0, by: 0 }],
  // An offer of before waits until the club allows it again.
  [
    ...[gift(0, 1), tradable(false), accepted(0, 1), gift(0, 2), tradable(true), accepted(0, 1)],
    ...[tradable(false), gift(1, 2), merged(1, 2), gift(1, 0)],
  ],
  // An offer of the merged fan ends, an item that rested moves on, and both sign-ins act as one fan.
  [
    ...[gift(0, 1), accepted(0, 1), gift(1, 2), gift(0, 2), merged(1, 2), merged(1, 0), accepted(1, 2)],
    ...[gift(0, 1), { kind: 'wait' as const, ms: REST }, gift(1, 0), accepted(2, 0), merged(2, 0)],
  ],
]

/** Everything that a step can be answered. */
const ANSWERS: Record<Step['kind'], string[]> = {
  accept: [
    'item_not_owned',
    'item_not_tradable',
    'item_resting',
    'ok',
    'trade_changed',
    'trade_not_found',
    'trade_not_open',
  ],
  cancel: ['ok', 'trade_not_found', 'trade_not_open'],
  decline: ['ok', 'trade_not_found', 'trade_not_open'],
  merge: ['fans_not_mergeable', 'ok'],
  offer: [
    ...['cannot_trade_with_yourself', 'fan_not_found', 'item_not_owned', 'item_not_tradable'],
    ...['item_resting', 'ok'],
  ],
  tradable: ['ok'],
}
/** Also to fans who act while they are merged. */
const AT_ONCE = ['invalid_token', 'skipped', 'too_many_open_trades']

interface Modelled {
  from: number
  to: number
  give: number[]
  want: number[]
  state: 'open' | 'completed' | 'declined' | 'cancelled' | 'void'
  expiresAt: number
}

/** The rules, without a database: what each step is answered. */
class Model {
  readonly trades: Modelled[] = []
  readonly owners = Array.from({ length: ITEMS }, (_, n) => n % FANS)
  private readonly moved: number[] = Array(ITEMS).fill(Number.NEGATIVE_INFINITY)
  private isTradable = true
  /** The fan that each sign-in reaches. */
  private readonly leadsTo = Array.from({ length: FANS }, (_, fan) => fan)

  take(now: number, step: Step): string {
    if (step.kind === 'offer') return this.offer(now, { ...step, from: this.fanOf(step.from) })
    if (step.kind === 'merge') return this.merge(now, step)
    if (step.kind === 'tradable') {
      this.isTradable = step.value
      return 'ok'
    }
    const trade = this.trades[step.nth % this.trades.length]
    if (!trade) return 'skipped'
    if (this.fanOf(step.by) !== (step.kind === 'cancel' ? trade.from : trade.to)) return 'trade_not_found'
    if (step.kind === 'accept') return this.accept(now, trade)
    const end = step.kind === 'cancel' ? 'cancelled' : 'declined'
    if (trade.state === end) return 'ok'
    if (trade.state !== 'open' || now >= trade.expiresAt) return 'trade_not_open'
    trade.state = end
    return 'ok'
  }

  private fanOf = (fan: number) => this.leadsTo[fan] ?? fan
  private isMerged = (fan: number) => this.fanOf(fan) !== fan

  private merge(now: number, { from, into }: Step & { kind: 'merge' }) {
    if (from === into || this.isMerged(from) || this.isMerged(into)) return 'fans_not_mergeable'
    for (const [fan, other] of this.leadsTo.entries()) if (other === from) this.leadsTo[fan] = into
    const isOpen = ({ state, expiresAt }: Modelled) => state === 'open' && now < expiresAt
    for (const trade of this.trades)
      if (isOpen(trade) && (trade.from === from || trade.to === from)) trade.state = 'void'
    for (const [item, owner] of this.owners.entries()) if (owner === from) this.move(now, item, into)
    return 'ok'
  }

  private move(now: number, item: number, owner: number) {
    this.owners[item] = owner
    this.moved[item] = now
  }

  private offer(now: number, { from, to, give, want }: Step & { kind: 'offer' }) {
    if (this.isMerged(to)) return 'fan_not_found'
    if (from === to) return 'cannot_trade_with_yourself'
    const trade = { from, to, give, want, state: 'open', expiresAt: now + OPEN } as const
    const fault = this.fault(now, trade)
    if (fault) return fault
    this.trades.push({ ...trade })
    return 'ok'
  }

  private accept(now: number, trade: Modelled) {
    if (trade.state === 'completed') return 'ok'
    if (trade.state !== 'open') return 'trade_changed'
    if (now >= trade.expiresAt) return 'trade_not_open'
    const fault = this.fault(now, trade)
    if (fault === 'item_not_owned') trade.state = 'void'
    if (fault) return fault
    trade.state = 'completed'
    for (const item of [...trade.give, ...trade.want])
      this.move(now, item, this.owners[item] === trade.from ? trade.to : trade.from)
    return 'ok'
  }

  private fault(now: number, { from, to, give, want }: Modelled) {
    const isOwned = (owner: number) => (item: number) => this.owners[item] === owner
    if (!give.every(isOwned(from)) || !want.every(isOwned(to))) return 'item_not_owned'
    if (!this.isTradable && [...give, ...want].includes(PACKED)) return 'item_not_tradable'
    const rests = (item: number) => (this.moved[item] ?? 0) + REST > now
    return [...give, ...want].some(rests) ? 'item_resting' : null
  }
}

const codeOf = ({ status, body }: Answer): string => (status < 300 ? 'ok' : body.code)

/** A pack of this id, opened. */
async function addOpenedPack(tx: Transaction, id: string, userId: string) {
  const { packs, packPurchases, userPacks } = tx.tables
  const [createdAt, price] = [tx.now(), { priceAmount: 0, priceCurrency: 'POINTS' }]
  const pack = { name: '', description: '', itemsPerPack: 1, active: true, supplySold: 1 }
  await tx.insert(packs).values({ id, ...pack, ...price, createdAt, updatedAt: createdAt })
  const purchase = { userId, packId: id, status: 'completed', serverSeed: '', seedHash: '', terms: '' }
  const times = { createdAt, expiresAt: createdAt, completedAt: createdAt }
  await tx.insert(packPurchases).values({ id, ...purchase, ...price, ...times })
  const opening = { clientSeed: '', openedAt: createdAt }
  await tx.insert(userPacks).values({ id, purchaseId: id, packId: id, userId, ...opening, createdAt })
}

/** Items of their own for each run, each given to one of the fans. */
async function newItems(world: World, fans: NamedFan[]): Promise<Item[]> {
  const collectibleId = crypto.randomUUID()
  const items = Array.from({ length: ITEMS }, (_, n) => ({ collectibleId, serialNumber: n + 1 }))
  await world.db.write(async tx => {
    const { collectibles, userItems } = tx.tables
    const text = { name: '', description: '', rarity: 'common' }
    const times = { createdAt: tx.now(), updatedAt: tx.now() }
    await tx.insert(collectibles).values({ id: collectibleId, ...text, minted: ITEMS, ...times })
    await addOpenedPack(tx, collectibleId, fans[PACKED]?.id ?? '')
    const given = items.map((item, n) => {
      const origin =
        n === PACKED ? { userPackId: collectibleId, position: 0 } : { givenFor: `${collectibleId} ${n}` }
      return { ...item, userId: fans[n % FANS]?.id ?? '', ...origin, createdAt: tx.now() }
    })
    for (const item of given) await tx.insert(userItems).values(item)
  })
  return items
}

async function prepare(world: World) {
  const fans: NamedFan[] = []
  for (let n = 0; n < FANS; n++) fans.push(await namedFan(world))
  await signIn()
  const items = await newItems(world, fans)
  const itemsAt = (places: number[]) => places.flatMap(place => items[place] ?? [])
  const offered: string[] = []
  const fanAt = (place: number) => {
    const found = fans[place]
    if (!found) throw new Error('the fans are made before')
    return found
  }

  /** A merge has ended the tokens of before. */
  async function signIn() {
    world.clock.advance(1_000)
    for (const [place, fan] of fans.entries()) {
      const token = await world.idp.issueToken(fan.subject, { expiresIn: 365 * 86_400 })
      fans[place] = { ...fan, ...world.withToken(token), token }
    }
  }

  async function perform(step: Step): Promise<string> {
    if (step.kind === 'merge') {
      const [from, into] = [fanAt(step.from).id, fanAt(step.into).id]
      return world.db
        .write(tx => mergeFans(tx, { from, into, mergedBy: 'Ana', reason: null }))
        .then(
          () => 'ok',
          error => error.code,
        )
    }
    if (step.kind === 'tradable') {
      const { packs } = world.db.tables
      const isOwn = eq(packs.id, items[PACKED]?.collectibleId ?? '')
      await world.db.write(tx => tx.update(packs).set({ tradable: step.value }).where(isOwn))
      return 'ok'
    }
    if (step.kind === 'offer') {
      const { from, to, give, want } = step
      const answer = await offer(fanAt(from), fanAt(to).handle, itemsAt(give), itemsAt(want))
      if (answer.status === 201) offered.push(answer.body.id)
      return codeOf(answer)
    }
    const id = offered[step.nth % offered.length]
    if (id === undefined) return 'skipped'
    const by = fanAt(step.by)
    return codeOf(
      step.kind === 'accept' ? await accept(by, { id }) : await by.post(`/api/trades/${id}/${step.kind}`, {}),
    )
  }

  /** Invariants between any two steps. Returns the owners. */
  async function check() {
    const rows = await readItemRows(world.db)
    expect(itemFaults(rows)).toEqual([])
    const own = rows.userItems.filter(({ collectibleId }) => collectibleId === items[0]?.collectibleId)
    const bySerial = own.toSorted((a, b) => a.serialNumber - b.serialNumber)
    expect(bySerial.map(({ serialNumber }) => serialNumber)).toEqual(items.map(item => item.serialNumber))
    return bySerial.map(({ ownerId, userId }) => fans.findIndex(({ id }) => id === (ownerId ?? userId)))
  }

  return { perform, signIn, check }
}

const suite = (world: World) => {
  const runs = () => ({ numRuns: world.db.engine === 'sqlite' ? 60 : 16, seed: 20260815 })

  test('one after the other, each step is answered as the model says', async () => {
    const answers = new Set<string>()
    const steps = fc.array(fc.oneof({ weight: 9, arbitrary: step }, { weight: 1, arbitrary: wait }), {
      minLength: 12,
      maxLength: 40,
      size: 'max',
    })
    const property = fc.asyncProperty(steps, async steps => {
      const { perform, signIn, check } = await prepare(world)
      const model = new Model()
      for (const step of steps) {
        if (step.kind === 'wait') {
          world.clock.advance(step.ms)
          continue
        }
        const foreseen = model.take(world.clock.ms, step)
        expect({ step, answer: await perform(step) }).toEqual({ step, answer: foreseen })
        answers.add(`${step.kind} ${foreseen}`)
        if (step.kind === 'merge') await signIn()
      }
      expect(await check()).toEqual(model.owners)
    })
    await fc.assert(property, { ...runs(), examples: EXAMPLES.map(steps => [steps]) })
    // The steps went everywhere that there is to go.
    const every = Object.entries(ANSWERS).flatMap(([kind, codes]) => codes.map(code => `${kind} ${code}`))
    expect([...answers].filter(answer => !answer.endsWith('skipped')).toSorted()).toEqual(every)
    expect(await verifyProvenance(world.db)).toMatchObject({ findings: 0 })
  })

  test('concurrent steps in any order neither lose nor duplicate an item', async () => {
    const batches = fc.array(fc.tuple(fc.array(step, { minLength: 2, maxLength: 8 }), wait, fc.boolean()), {
      minLength: 3,
      maxLength: 6,
    })
    const property = fc.asyncProperty(batches, async batches => {
      const { perform, signIn, check } = await prepare(world)
      for (const [steps, { ms }, waits] of batches) {
        const answers = await Promise.all(steps.map(perform))
        for (const [n, { kind }] of steps.entries())
          expect([...AT_ONCE, ...ANSWERS[kind]]).toContain(answers[n] ?? '')
        await check()
        await signIn()
        if (waits) world.clock.advance(ms)
      }
    })
    await fc.assert(property, runs())
    expect(await verifyProvenance(world.db)).toMatchObject({ findings: 0 })
  })
}

onEachEngine('Offers of a few fans', suite, { fans: 600 })
