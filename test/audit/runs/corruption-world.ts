/** A world with rows of every kind, as the verbs write them, for tests of the verification. */

import { and, desc, eq, lte } from 'drizzle-orm'
import { countRows } from '../../../db/pages.ts'
import { encryptToken } from '../../../src/delivery/push/tokens.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { voidEvent } from '../../../src/economy/events/void-event.ts'
import { GENESIS_HASH } from '../../../src/economy/ledgers/chain.ts'
import { grantPoints } from '../../../src/economy/points/grants.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { EMPTY_STATE } from '../../../src/economy/points/seams.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { ownerOfPart } from '../../../src/fan/account/exports.ts'
import { remindFans } from '../../../src/fan/messages/remind.ts'
import { decide } from '../../../src/fan/moderation/cases.ts'
import { decideNotice } from '../../../src/fan/moderation/notices.ts'
import { keepDailyFigures } from '../../../src/figures/days/daily-figures.ts'
import { countSeason } from '../../../src/figures/season/sweep.ts'
import { decideAppeal, listOpenAppeals } from '../../../src/identity/sanctions/appeals.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { recordAction } from '../../../src/identity/staff/audit/record.ts'
import { storeAge } from '../../../src/identity/users/age.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { trackSegments } from '../../../src/operate/admin/segments/track.ts'
import { type CatalogueRecord, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { hashOfCode, normalizeCode } from '../../../src/play/codes/code.ts'
import { voidCodes } from '../../../src/play/codes/generate.ts'
import { copyGroupScores } from '../../../src/play/leagues/copy-scores.ts'
import { advanceLeagues } from '../../../src/play/leagues/rounds.ts'
import { refund } from '../../../src/play/purchases/refund.ts'
import { answerQuestion } from '../../../src/play/questions/change.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { noteExpiredOrders } from '../../../src/play/shop/sweep-orders.ts'
import { withdrawOrder } from '../../../src/play/shop/withdraw.ts'
import { topUpKind } from '../../../src/play/top-ups/top-up-kind.ts'
import { newPng, upload } from '../../club/pictures/pictures-world.ts'
import { block, follow, type NamedFan, namedFan, put } from '../../identity/relations/relations-world.ts'
import { generate, redeem } from '../../play/codes/codes-world.ts'
import { WEEKLY } from '../../play/divisions/divisions-world.ts'
import { create as createLeague, join as joinLeague } from '../../play/leagues/leagues-world.ts'
import { putMembership, ticketOffice } from '../../play/memberships/memberships-world.ts'
import {
  buy,
  buyWithMoney,
  cancel,
  complete,
  expectStatus,
  open,
  start,
} from '../../play/packs/packs-world.ts'
import { refundPack } from '../../play/packs/refund-pack.ts'
import { predict, settleAll } from '../../play/predictions/match-world.ts'
import { addQuestion, settleAll as settleVotes, vote } from '../../play/questions/questions-world.ts'
import { happen } from '../../play/quests/quests-world.ts'
import { ADDRESS, cancelOrder, checkout, completeOrder, HOLD, pay } from '../../play/shop/orders-world.ts'
import { holdForPack, promote, startTopUp, topUp } from '../../play/top-ups/cash-world.ts'
import { accept, offer } from '../../play/trades/trades-world.ts'
import { challenge, linkAccount, newAccount } from '../../play/wallets/wallets-world.ts'
import type { Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'

const EVENT = 'shop.purchase'
const DAY = 86_400_000

/** In the order of an import. */
function catalogue(at: Date): CatalogueRecord[] {
  const text = (name: string) => ({ en: name, pt: `${name} (pt)` })
  const inDays = (days: number) => new Date(at.getTime() + days * DAY).toISOString()
  const [startsAt, endsAt] = [inDays(-1), inDays(90)]
  const item = (id: string, rarity: string, weight: number) => ({
    ...{
      id,
      rarity,
      weight,
      imageUrl: '/pictures/scarf.svg',
      name: text(id),
      description: text(`The ${id}`),
    },
  })
  const product = {
    description: text('Of the club.'),
    images: ['/pictures/a.svg'],
    category: 'fanwear',
    startsAt,
    endsAt,
  }
  const euros = (amount: number) => ({ amount, currency: 'EUR' })
  return [
    {
      kind: 'team',
      entry: {
        ...{ id: 'harbour', name: text('Harbour'), shortName: 'HAR', city: 'Porto', country: 'PT' },
        ...{ primaryColor: '#112233', secondaryColor: '#445566', crestUrl: '/pictures/crest.svg' },
      },
    },
    { kind: 'team', entry: { id: 'bay', name: 'Bay', shortName: 'BAY' } },
    {
      kind: 'settings',
      entry: { id: 'club', openTradesPerFan: 21, sellerName: 'Harbour', reservedHandles: ['harbour'] },
    },
    { kind: 'season', entry: { id: 'this', name: text('This season'), startsAt, endsAt } },
    {
      kind: 'notification',
      entry: {
        id: 'bought',
        eventType: 'shop.purchase',
        category: 'rewards',
        title: 'Bought',
        body: '{{/amount}}',
      },
    },
    { kind: 'player', entry: { id: 'nine', name: { en: 'Nine', pt: 'Nove' }, number: 9 } },
    { kind: 'division', entry: WEEKLY },
    {
      kind: 'sponsor',
      entry: {
        ...{ id: 'ferries', name: text('Ferries') },
        ...{ imageUrl: '/pictures/ferries.svg', url: 'https://ferries.example/' },
      },
    },
    {
      kind: 'document',
      entry: { id: 'news', version: '2', purpose: 'marketing', text: text('News'), required: true },
    },
    {
      kind: 'account',
      entry: {
        ...{ id: 'status', name: text('Status'), unit: text('points'), window: { seasons: 1 }, public: true },
        tiers: [
          { id: 'silver', name: text('Silver'), from: 50, benefits: [text('Early entry')], graceDays: 9 },
        ],
      },
    },
    {
      kind: 'segment',
      entry: { id: 'all', name: text('All'), when: [{ fact: 'points', op: 'gte', value: 0 }], tracked: true },
    },
    {
      kind: 'membership',
      entry: {
        ...{ id: 'season-ticket', name: text('Season ticket'), description: text('All home games.') },
        ...{ imageUrl: '/pictures/ticket.svg', benefits: [text('Priority'), 'A scarf'] },
      },
    },
    {
      kind: 'reward',
      entry: {
        ...{
          id: 'scarf',
          title: text('Scarf'),
          description: text('A scarf.'),
          itemType: 'voucher',
          pointsRequired: 5,
        },
        ...{ stock: 50, startsAt, endsAt, imageUrl: '/pictures/scarf.svg' },
      },
    },
    {
      kind: 'reward',
      entry: {
        id: 'ticket',
        title: 'Ticket',
        description: 'One.',
        itemType: 'ticket',
        pointsRequired: 5,
        stock: 9,
      },
    },
    {
      kind: 'reward',
      entry: {
        ...{
          id: 'token',
          title: 'Token',
          description: 'For holders.',
          itemType: 'voucher',
          pointsRequired: 1,
        },
        requires: {
          holds: { chainId: 1, contract: '0x5B38Da6a701c568545dCfcB03FcB875f56beddC4', minimum: '2' },
        },
      },
    },
    {
      kind: 'pack',
      entry: {
        ...{
          id: 'starter',
          name: text('Starter'),
          description: text('Two.'),
          itemsPerPack: 10,
          startsAt,
          endsAt,
        },
        ...{ price: { amount: 20, currency: 'POINTS' }, imageUrl: '/pictures/pack.svg' },
        // Enough that no other seed gives the same items.
        items: ['goal', 'save', 'song', 'tackle'].map(id =>
          item(id, id === 'goal' ? 'common' : 'rare', 250_000),
        ),
      },
    },
    {
      kind: 'pack',
      entry: {
        ...{ id: 'gold', name: 'Gold', description: 'One.', itemsPerPack: 1, price: euros(299), supply: 20 },
        taxRate: 0.23,
        items: [{ id: 'goal', weight: 1_000_000 }],
      },
    },
    {
      kind: 'player',
      entry: {
        ...{ id: 'nine', teamId: 'harbour', name: text('Ana'), number: 9 },
        ...{ position: text('Forward'), imageUrl: '/pictures/nine.svg' },
      },
    },
    {
      kind: 'competition',
      entry: {
        ...{ id: 'cup', name: text('Cup'), deadline: 'round', joker: 3, crowd: true },
        points: { exact: 30, difference: 20, outcome: 10 },
      },
    },
    ...['played', 'coming', 'cup-tie'].map(
      (id): CatalogueRecord => ({
        kind: 'match',
        entry: {
          ...{
            id,
            competition: id === 'cup-tie' ? 'cup' : text('League'),
            season: '2026/27',
            round: 'Round 1',
            venue: 'Harbour Park',
          },
          ...{
            homeTeamId: 'harbour',
            awayTeamId: 'bay',
            kickoffAt: new Date(at.getTime() + 3_600_000).toISOString(),
          },
        },
      }),
    ),
    {
      kind: 'rule',
      entry: {
        ...{ id: 'shopping', name: text('Shopping'), eventType: EVENT, budget: 5_000, startsAt, endsAt },
        ...{ points: { fixed: 30 }, limit: { per: 'day', count: 9 }, timeZone: 'Europe/Lisbon' },
      },
    },
    {
      kind: 'rule',
      entry: {
        ...{ id: 'attending', name: text('Attending'), eventType: 'gate.entered', account: 'status' },
        points: { fixed: 60 },
      },
    },
    {
      kind: 'quest',
      entry: {
        ...{
          id: 'first',
          title: text('First'),
          description: 'Buy once.',
          kind: 'quest',
          period: 'once',
          startsAt,
          endsAt,
        },
        ...{
          steps: [{ id: 'buy', eventType: EVENT, target: 1 }],
          reward: { points: 5, collectibleId: 'goal' },
        },
      },
    },
    {
      kind: 'quest',
      entry: {
        ...{
          id: 'streak',
          title: 'Streak',
          description: 'Buy daily.',
          kind: 'streak',
          period: 'day',
          graceDays: 2,
        },
        ...{ requires: ['first'], claim: 'manual', reward: { points: 3 } },
        steps: [{ id: 'buy', eventType: EVENT, target: 1, distinctBy: '/seat' }],
      },
    },
    {
      kind: 'set',
      entry: {
        id: 'moments',
        name: text('Moments'),
        collectibleIds: ['goal'],
        reward: { points: 4, rewardId: 'scarf' },
      },
    },
    {
      kind: 'campaign',
      entry: {
        ...{ id: 'bottle', name: text('Bottle'), kind: 'shared', code: 'BOTTLE', perFan: 2, total: 9 },
        gives: { points: 5, rewardId: 'scarf' },
      },
    },
    {
      kind: 'campaign',
      entry: {
        ...{ id: 'cap', name: text('Cap'), kind: 'unique', perFan: 2, total: 9 },
        gives: { points: 7, packId: 'starter', collectibleId: 'song' },
      },
    },
    {
      kind: 'product',
      entry: {
        ...{
          ...product,
          id: 'shirt',
          name: text('Shirt'),
          kind: 'physical',
          price: euros(1_000),
          taxRate: { PT: 0.23, default: 0.2 },
          maxPerFan: 50,
        },
        ...{ shipsTo: ['PT', 'GB'], requires: { points: 1, collectibleId: 'goal' } },
        variants: [
          { id: 'm', name: text('M'), sku: 'SHIRT-M', stock: 30 },
          { id: 'xl', name: 'XL', stock: 30 },
        ],
      },
    },
    {
      kind: 'product',
      entry: {
        ...{
          ...product,
          id: 'voucher',
          name: 'Voucher',
          kind: 'voucher',
          price: euros(500),
          delivers: { credit: 300 },
        },
        variants: [{ id: 'one', name: 'One', stock: null }],
      },
    },
    {
      kind: 'product',
      entry: {
        ...{
          ...product,
          id: 'bundle',
          name: 'Bundle',
          kind: 'pack',
          price: euros(700),
          delivers: { packId: 'starter' },
        },
        variants: [{ id: 'one', name: 'One', stock: 20 }],
      },
    },
    {
      kind: 'product',
      entry: {
        ...{
          ...product,
          id: 'moment',
          name: 'Moment',
          kind: 'digital',
          price: euros(100),
          delivers: { collectibleId: 'save' },
        },
        variants: [{ id: 'one', name: 'One', stock: null }],
      },
    },
    {
      kind: 'product',
      entry: {
        ...{
          ...product,
          id: 'token-shirt',
          name: 'Token shirt',
          kind: 'physical',
          price: { amount: 5, currency: 'POINTS' },
        },
        requires: {
          holds: { chainId: 1, contract: '0x5B38Da6a701c568545dCfcB03FcB875f56beddC4', minimum: '2' },
        },
        variants: [{ id: 'one', name: 'One', stock: 5 }],
      },
    },
    {
      kind: 'product',
      entry: {
        ...{ ...product, id: 'pin', name: 'Pin', kind: 'physical', price: { amount: 2, currency: 'POINTS' } },
        variants: [{ id: 'one', name: 'One', stock: 50 }],
      },
    },
  ]
}

async function importCatalogue(world: World) {
  const author = { source: 'console', staff: { id: 'link:ana', name: 'Ana' }, reason: 'The season' } as const
  const records = catalogue(world.clock.now())
  for (const record of records) await world.db.write(tx => writeRecord(tx, record, { author }))
  // A second revision of each.
  for (const { kind, entry } of records) {
    const changed =
      'description' in entry ? { ...entry, description: 'Changed.' } : { ...entry, name: 'Changed' }
    // Guarantee of the cast: a member of the entry has another value of its type.
    await world.db.write(tx => writeRecord(tx, { kind, entry: changed } as CatalogueRecord, { author }))
  }
}

const line = (productId: string, variantId: string, quantity = 1) => ({ productId, variantId, quantity })

/** A shipped order of several lines, a voucher that is used, one that is not, and orders that ended in each other way. */
async function shop(world: World, fan: NamedFan) {
  const paid = async (...lines: ReturnType<typeof line>[]) => {
    const { id } = expectStatus(201, await checkout(fan, ...lines))
    return expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
  }
  const vouchers = await paid(line('voucher', 'one', 2), line('bundle', 'one', 2))
  const [first] = vouchers.lines[0].units ?? vouchers.lines[0].vouchers ?? []
  const voucherCode = first.code
  const several = await fan.post('/api/checkout', {
    lines: [line('shirt', 'm', 2), line('shirt', 'xl', 1), line('voucher', 'one', 1)],
    ...{ address: ADDRESS, voucher: voucherCode },
  })
  const { id } = expectStatus(201, several)
  expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
  const systems = world.withToken(await world.serverKey(['orders:write'], { source: 'warehouse' }))
  for (const change of [{ state: 'ready' }, { state: 'shipped', carrier: 'CTT', tracking: 'AB1' }])
    expectStatus(200, await systems.put(`/api/orders/${id}/lines/1`, change))
  const refunded = await paid(line('shirt', 'm', 1))
  await world.db.write(tx => refund(tx, orderKind, refunded.id))
  const cancelled = expectStatus(201, await checkout(fan, line('shirt', 'xl')))
  expectStatus(200, await cancelOrder(fan, cancelled.id))
  const byPoints = expectStatus(201, await checkout(fan, line('pin', 'one', 3)))
  expectStatus(200, await completeOrder(fan, byPoints.id))
  const byCash = expectStatus(201, await checkout(fan, line('shirt', 'm')))
  expectStatus(200, await fan.post('/api/checkout/payment', { orderId: byCash.id, method: 'cash' }))
  expectStatus(200, await completeOrder(fan, byCash.id))
  await withdrawals(world, fan, byPoints.id, systems)
  expectStatus(201, await checkout(fan, line('shirt', 'xl', 1)))
  // It expires, and the next one is left pending.
  world.clock.advance(HOLD)
  await noteExpiredOrders(world.db)
  expectStatus(201, await checkout(fan, line('shirt', 'xl', 1)))
}

/** Parts of orders that a gateway has to refund and that are refunded, and a line that waits for its return. */
async function withdrawals(world: World, fan: NamedFan, byPoints: string, systems: Client) {
  const options = { isStorePayment: () => false, payOut: () => {} }
  const withdraw = (orderId: string, ...numbers: number[]) =>
    world.db.write(tx => withdrawOrder(tx, { orderId, userId: fan.id, numbers }, options))
  const { id } = expectStatus(
    201,
    await checkout(fan, line('shirt', 'm'), line('shirt', 'xl'), line('voucher', 'one', 1)),
  )
  expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
  for (const change of [{ state: 'ready' }, { state: 'shipped', carrier: 'CTT' }, { state: 'delivered' }])
    expectStatus(200, await systems.put(`/api/orders/${id}/lines/1`, change))
  await withdraw(id, 2)
  await withdraw(id, 1)
  const two = expectStatus(201, await checkout(fan, line('shirt', 'm'), line('shirt', 'xl')))
  expectStatus(200, await fan.post('/api/checkout/payment', { orderId: two.id, method: 'cash' }))
  expectStatus(200, await completeOrder(fan, two.id))
  await withdraw(two.id, 1)
  await withdraw(byPoints, 1)
}

async function packs(world: World, fan: NamedFan) {
  await buy(fan, 'starter')
  const gold = await buyWithMoney(fan, 'gold')
  expectStatus(200, await open(fan, gold.userPack.id))
  const refunded = await buyWithMoney(fan, 'gold')
  await world.db.write(tx => refundPack(tx, refunded.id))
  const byPoints = await buy(fan, 'starter')
  await world.db.write(tx => refundPack(tx, byPoints.id))
  const cash = expectStatus(201, await start(fan, 'gold'))
  expectStatus(200, await holdForPack(fan, cash.id))
  expectStatus(200, await complete(fan, cash.id))
  const held = expectStatus(201, await start(fan, 'gold'))
  expectStatus(200, await holdForPack(fan, held.id))
  const cancelled = expectStatus(201, await start(fan, 'gold'))
  expectStatus(200, await holdForPack(fan, cancelled.id))
  expectStatus(200, await cancel(fan, cancelled.id))
  for (const seed of ['my seed', undefined, 'another']) {
    const opened = await buy(fan, 'starter')
    expectStatus(200, await open(fan, opened.userPack.id, seed))
  }
}

/** Points in an account, some of them taken back, with a tier. */
async function accounts(world: World, fan: NamedFan) {
  for (const eventId of ['gate-1', 'gate-2', 'gate-3']) {
    const event = { source: 'gates', eventId, userId: fan.id, type: 'gate.entered', data: {} }
    await world.db.write(tx => writeEvent(tx, { ...event, occurredAt: world.clock.now() }))
    world.clock.advance(120_000)
  }
  await world.db.write(tx => voidEvent(tx, { source: 'gates', eventId: 'gate-2' }))
  world.clock.advance(120_000)
  const event = { source: 'gates', eventId: 'gate-4', userId: fan.id, type: 'gate.entered', data: {} }
  await world.db.write(tx => writeEvent(tx, { ...event, occurredAt: world.clock.now() }))
}

/** The league of a fan who is erased: its member owns it then. */
async function leagues(world: World, owner: NamedFan, member: NamedFan, banned: NamedFan) {
  const { id, code } = await createLeague(owner, { scoring: 'predictions', from: 'start' })
  world.clock.advance(120_000)
  expectStatus(200, await joinLeague(member, code))
  expectStatus(204, await owner.put(`/api/leagues/${id}/bans/${banned.handle}`))
}

/** A league head to head of a season, whose rounds are closed. */
async function rounds(world: World, owner: NamedFan, others: NamedFan[]) {
  const at = world.clock.now()
  const [startsAt, endsAt] = [new Date(at.getTime() - DAY), new Date(at.getTime() + 10 * DAY)]
  const season = { id: 'rounds', name: 'Rounds', startsAt, endsAt }
  await world.db.write(tx =>
    tx.insert(tx.tables.seasons).values({ ...season, active: true, createdAt: at, updatedAt: at }),
  )
  const { code } = await createLeague(owner, { season: season.id, from: 'start', format: 'head_to_head' })
  for (const fan of others) expectStatus(200, await joinLeague(fan, code))
  return async () => {
    for (let week = 0; week < 2; week++) {
      world.clock.advance(7 * DAY)
      await world.db.write(tx =>
        appendEntry(tx, { userId: owner.id, delta: 5, reason: 'activity', ref: `round-${week}` }),
      )
      await advanceLeagues(world)
    }
  }
}

/** A question with a corrected answer, and an open one. */
async function questions(world: World, [fan, other, third]: NamedFan[]) {
  if (!fan || !other || !third) throw new Error('three fans vote')
  const id = await addQuestion(world, {
    id: 'asked',
    points: 10,
    correct: 'away',
    requires: { notCountries: ['AQ'] },
  })
  await vote(fan, id, 'home')
  await vote(other, id, 'away')
  await vote(third, id, 'draw')
  await settleVotes(world)
  world.clock.advance(60_000)
  await settleVotes(world)
  await world.db.write(tx => answerQuestion(tx, id, 'home'))
  await settleVotes(world)
  await vote(fan, await addQuestion(world, { id: 'open' }), 'home')
}

const invite = async (fan: NamedFan): Promise<string> =>
  expectStatus(200, await fan.get('/api/user/referral')).code

async function memberships(world: World, fan: NamedFan) {
  const office = await ticketOffice(world)
  const at = (days: number) => new Date(world.clock.ms + days * DAY).toISOString()
  const card = { number: '0042', holder: 'Ada' }
  expectStatus(201, await putMembership(office, world, fan, { ...card, startsAt: at(330), endsAt: at(695) }))
  expectStatus(201, await putMembership(office, world, fan, { ...card, startsAt: at(-35), endsAt: at(330) }))
}

async function cash(world: World, fan: NamedFan) {
  await topUp(fan, 10_000)
  const refunded = await topUp(fan, 700)
  await world.db.write(tx => refund(tx, topUpKind, refunded.id))
  await promote(world, fan.id, 500, { ref: 'welcome', expiresAt: new Date(world.clock.ms + 30 * DAY) })
  await promote(world, fan.id, 100, { ref: 'welcome:2026' })
  expectStatus(201, await startTopUp(fan, 900))
}

async function moderation(world: World, fan: NamedFan, other: NamedFan, third: NamedFan) {
  const report = (about: NamedFan) =>
    fan.post('/api/reports', {
      subject: { kind: 'fan', id: about.handle },
      reason: 'harassment',
      note: 'Insults.',
    })
  const by = { decidedBy: 'Ana', decidedById: 'link:ana', reason: 'harassment', note: 'Seen.' } as const
  expectStatus(201, await report(other))
  await world.db.write(tx => decide(tx, other.id, { ...by, kind: 'hide' }))
  world.clock.advance(120_000)
  const mute = await world.db.write(tx => recordDecision(tx, { ...by, fanId: other.id, kind: 'mute' }))
  await world.db.write(tx => recordDecision(tx, { ...by, fanId: other.id, kind: 'lift', liftsId: mute.id }))
  await world.db.write(tx => recordDecision(tx, { ...by, fanId: other.id, kind: 'mute' }))
  const until = new Date(world.clock.ms + 30 * DAY)
  const suspension = await world.db.write(tx =>
    recordDecision(tx, { ...by, fanId: other.id, kind: 'suspend', until }),
  )
  expectStatus(
    201,
    await other.post('/api/user/appeals', { sanctionId: suspension.id, text: 'I quoted others.' }),
  )
  const [open] = await listOpenAppeals(world.db.read, 1)
  await world.db.write(tx =>
    decideAppeal(tx, open?.appeal.id ?? '', {
      granted: false,
      reason: 'other',
      decidedBy: 'Bruno',
      decidedById: 'link:bruno',
    }),
  )
  expectStatus(201, await report(third))
  await notices(world, other, suspension.id)
}

/** One that was decided with a sanction, and an open one. */
async function notices(world: World, about: NamedFan, decisionId: string) {
  const file = async (location: string) => {
    const notice = { category: 'hate', explanation: 'A call for violence.', goodFaith: true, location }
    const notifier = { name: 'Dora Reis', email: 'dora@example.com' }
    return expectStatus(201, await world.anonymous.post('/api/notices', { ...notice, ...notifier })).receipt
  }
  const decided = await file(`https://club.example/fans/${about.handle}`)
  const decision = {
    actionTaken: true,
    answer: 'It is suspended.',
    decidedBy: 'Ana',
    decidedById: 'link:ana',
  }
  await world.db.write(tx => decideNotice(tx, decided, { ...decision, decisionId }))
  await file('A banner in the stadium')
}

/** A match with predictions of each hit, whose result was corrected, and one to come. */
async function matches(world: World, [fan, other, third]: NamedFan[]) {
  if (!fan || !other || !third) throw new Error('three fans predict')
  const club = world.withToken(await world.serverKey(['matches:write'], { source: 'statistics' }))
  const kickoffAt = new Date(world.clock.ms + 3_600_000).toISOString()
  const report = async (
    matchId: string,
    revision: number,
    status: string,
    homeScore: number | null,
    awayScore: number | null,
  ) =>
    expectStatus(
      200,
      await club.put(`/api/matches/${matchId}`, { revision, status, kickoffAt, homeScore, awayScore }),
    )
  for (const id of ['played', 'cup-tie']) await report(id, 2, 'scheduled', null, null)
  expectStatus(
    201,
    await fan.post('/api/check-ins', {
      code: world.deps.checkInCodes.issue('played', world.clock.now()).code,
    }),
  )
  await predict(fan, 'played', 2, 1)
  await predict(other, 'played', 1, 0)
  await predict(third, 'played', 3, 0)
  await predict(fan, 'coming', 1, 1)
  await predict(fan, 'cup-tie', 1, 0, true)
  await predict(other, 'cup-tie', 0, 0)
  await predict(third, 'cup-tie', 0, 1)
  for (const [revision, awayScore] of [
    [3, 0],
    [4, 1],
  ] as const) {
    await report('played', revision, 'finished', 2, awayScore)
    await settleAll(world)
  }
  await report('cup-tie', 3, 'finished', 2, 0)
  await settleAll(world)
}

/** A shared code, and of three generated codes one that is redeemed, one that is voided and one that is unused. */
async function codes(world: World, fan: NamedFan, other: NamedFan) {
  expectStatus(200, await redeem(other, 'BOTTLE'))
  const [used = '', voided = ''] = await generate(world, 'cap', 3)
  expectStatus(200, await redeem(fan, used))
  await world.db.write(tx => voidCodes(tx, 'cap', [hashOfCode(normalizeCode(voided) ?? '')]))
}

async function consents(fan: NamedFan) {
  for (const granted of [true, false, true, false, true])
    expectStatus(200, await fan.put('/api/user/consents', { marketing: { granted, version: '2' } }))
}

/** A fan whose guardian agrees. */
const stateAge = (world: World, userId: string) =>
  world.db.write(tx => {
    const age = { ageBand: '16_17', source: 'school', guardianConsent: true } as const
    return storeAge(tx, userId, { ...age, assuredAt: tx.now() })
  })

/** Rows of tables that nothing verifies. */
async function operations(world: World, userId: string) {
  const at = world.clock.now()
  await world.db.write(async tx => {
    const t = tx.tables
    const staff = { staffId: 'link:ana', name: 'Ana', role: 'owner', createdAt: at, expiresAt: at }
    await tx.insert(t.consoleLinks).values({ hash: 'link', ...staff, usedAt: at })
    await tx.insert(t.consoleSessions).values({
      id: 'session',
      hash: 'session',
      ...staff,
      lastUsedAt: at,
      endedAt: at,
      providerSession: 'sid',
    })
    await tx.insert(t.consoleApprovals).values({
      ...{
        id: 'approval',
        permission: 'points.write',
        operation: 'grantPoints',
        subjectKind: 'fan',
        subjectId: userId,
      },
      ...{
        reason: 'A delay',
        request: '{}',
        requestedById: 'link:ana',
        requestedByName: 'Ana',
        requestedByRole: 'owner',
      },
      ...{
        requestedAt: at,
        expiresAt: at,
        decision: 'confirmed',
        decidedById: 'link:bo',
        decidedByName: 'Bo',
        decidedAt: at,
      },
    })
    await tx.insert(t.importFiles).values({
      id: 'file',
      command: 'import-fans',
      name: 'fans.csv',
      bytes: 1,
      createdAt: at,
      completedAt: at,
      expiresAt: at,
    })
    await tx.insert(t.importFileParts).values({ fileId: 'file', part: 0, lines: 1, content: '' })
    await tx.insert(t.jobRuns).values({
      ...{
        id: 'job',
        kind: 'verify-ledger',
        input: '{}',
        state: 'done',
        startedById: 'link:ana',
        startedByName: 'Ana',
      },
      ...{
        startedAt: at,
        heartbeatAt: at,
        endedAt: at,
        done: 1,
        total: 1,
        cancelRequestedAt: at,
        result: '{}',
        error: 'none',
      },
    })
    await tx.insert(t.maintenanceRuns).values({ command: 'backup', finishedAt: at })
    await tx.insert(t.verificationCoverage).values({ command: 'verify-ledger', verifiedAt: at, parts: '{}' })
    await tx.insert(t.eventSinks).values({ name: 'nats', position: 0, leaseHolder: 'one', leaseEndsAt: at })
    const file = { id: 'next-0001', seasonId: 'next', sha256: '0', bytes: 1, fans: 1 }
    await tx.insert(t.archiveFiles).values({ ...file, until: at, writtenAt: at })
    await tx.insert(t.archivedEvents).values({ key: 'archived', userId })
    // Behind it nothing is archived, and some events are kept: more than another fan has.
    const isKept = and(eq(t.events.userId, userId), eq(t.events.type, 'consent.changed'))
    const kept = await tx.select().from(t.events).where(isKept).orderBy(desc(t.events.sequence)).limit(1)
    const sequence = kept[0]?.sequence ?? 0
    const keptEvents = await countRows(
      tx,
      t.events,
      and(eq(t.events.userId, userId), lte(t.events.sequence, sequence)),
    )
    await tx.insert(t.archiveSeams).values({
      ...{
        userId,
        files: '["next-0001"]',
        until: at,
        state: JSON.stringify(EMPTY_STATE),
        digest: '0',
        key: 'key',
      },
      ...{ seq: 0, hash: GENESIS_HASH, balance: 0, lifetime: 0, sequence, keptEntries: 0, keptEvents },
      sealed: true,
    })
    await tx.insert(t.idempotencyKeys).values({
      ...{ provider: 'p', subject: 's', route: 'POST /', key: 'k' },
      fingerprint: 'f',
      status: 200,
      response: '{}',
      expiresAt: at,
    })
    await tx.insert(t.rateLimitWindows).values({ key: 'k', used: 1, endsAt: at })
    await tx.insert(t.revokedTokens).values({ id: 'token', expiresAt: at })
    await tx
      .insert(t.deferredSyncs)
      .values({ userId, encryptedToken: '', tokenExpiresAt: at, attempts: 1, nextAttemptAt: at })
    await tx.insert(t.webhookEndpoints).values({
      ...{
        id: 'endpoint',
        url: 'https://example.com',
        types: '*',
        createdAt: at,
        failingSince: at,
        pausedUntil: at,
      },
      ...{
        encryptedSecret: world.deps.webhookSecrets.encrypt('secret', 'endpoint', tx.randomBytes),
        disabledAt: at,
        disabledReason: 'operator',
      },
    })
    await tx
      .insert(t.webhookLanes)
      .values({ endpointId: 'endpoint', userId, nextAttemptAt: at, leaseEndsAt: at })
    const asked = { id: 'export', userId, day: '2026-08-15', createdAt: at, expiresAt: at }
    await tx.insert(t.dataExports).values({ ...asked, completedAt: at, parts: 1 })
    const [exportId, owner, nonce] = ['export', ownerOfPart('export', 0), tx.randomBytes(12)]
    const content = world.deps.exportEncryption.encrypt('{}', owner, nonce)
    await tx.insert(t.dataExportParts).values({ exportId, part: 0, content })
    await tx.insert(t.pushServices).values({ name: 'fcm' })
    const device = { userId, deviceId: 'phone' }
    await tx.insert(t.devices).values({
      ...{ ...device, kind: 'fcm', service: 'fcm', tokenHash: 'hash', lastUsedAt: at, createdAt: at },
      encryptedToken: encryptToken(world.deps.deviceEncryption, tx, 'hash', 'token'),
    })
    await tx.insert(t.pushDeliveries).values({
      ...{ ...device, messageId: 'message', position: 1, service: 'fcm', bulk: false, category: 'match' },
      ...{ content: '{}', state: 'pending', attempts: 0, createdAt: at, dueAt: at },
    })
    await tx.insert(t.webhookDeliveries).values({
      ...{
        endpointId: 'endpoint',
        userId,
        sequence: 1,
        type: 'a.b',
        body: '{}',
        state: 'pending',
        attempts: 1,
        createdAt: at,
      },
      ...{ attemptedAt: at, status: 500, response: 'No', earlierAttempts: '[]' },
    })
    await tx.insert(t.termsAcceptances).values({ userId, version: '1', acceptedAt: at })
    await tx.insert(t.providerKeys).values({ source: 'provider', keys: '[]', fetchedAt: at, mac: '' })
    await tx.insert(t.eventDistribution).values({ id: 'events', lastPosition: 0 })
    await tx
      .insert(t.matchReminders)
      .values({ matchId: 'played', moment: 'match.opened', cursor: '', startedAt: at })
    await tx.insert(t.messageCampaigns).values({
      ...{ id: 'tickets', state: 'running', content: '{}', fans: 3, sent: 1, skipped: 1 },
      ...{ startedAt: at, beginsAt: at, listedAt: at },
    })
    await tx
      .insert(t.messageCampaignFans)
      .values({ campaignId: 'tickets', userId, state: 'queued', dueAt: at })
    await tx.insert(t.matchEvents).values({
      ...{ matchId: 'played', sequence: 1, recordedAt: at, catalogueRevision: 1, data: '{}', position: 0 },
    })
    await tx.insert(t.pointsExpiry).values({ days: 365, since: at, day: at, cursor: userId })
  })
}

/** Answers the fan who is erased. */
export async function fillWorld(world: World): Promise<NamedFan> {
  await importCatalogue(world)
  world.clock.advance(120_000)
  await countEarly(world)
  const [fan, other, third, merged] = [
    await patientNamed(world),
    await patientNamed(world),
    await patientNamed(world),
    await patientNamed(world),
  ]
  const provider = world.config.identity.name
  for (const one of [fan, other, third, merged]) {
    const profile = { bio: 'Hello', country: 'PT', locale: 'pt-PT', favoriteTeamId: 'harbour' }
    expectStatus(200, await one.patch('/api/user/profile', profile))
    // A merge takes the invitation of the merged fan back; of the others one is invited.
    const referralCode = one === third || one === merged ? await invite(other) : undefined
    expectStatus(200, await one.post('/api/user/onboarding', { ...(referralCode && { referralCode }) }))
    expectStatus(200, await one.post('/api/user/sync-identity', {}))
    await world.db.write(tx =>
      grantPoints(
        tx,
        { source: 'shop', provider },
        { fan: { userId: one.id }, delta: 500, ref: `grant:${one.id}`, note: 'Hello' },
      ),
    )
  }
  await consents(fan)
  await stateAge(world, fan.id)
  await trackSegments(world)
  for (const seat of [1, 2]) {
    await happen(world, fan, EVENT, { data: { seat } })
    world.clock.advance(120_000)
  }
  await happen(world, merged, EVENT, { data: { seat: 1 } })
  const undone = await happen(world, fan, EVENT, { data: { seat: 3 } })
  const systems = world.withToken(await world.serverKey(['events:write'], { source: 'shop' }))
  expectStatus(200, await systems.post('/api/events/void', { id: undone, note: 'Returned' }))
  expectStatus(404, await systems.post('/api/events/void', { id: 'early', note: 'Never came' }))
  await cash(world, fan)
  await memberships(world, fan)
  await accounts(world, fan)
  await topUp(merged, 1_000)
  await promote(world, merged.id, 50, { ref: 'merged' })
  await packs(world, fan)
  await codes(world, fan, third)
  await shop(world, fan)
  await rewards(world, fan)
  await items(fan, other)
  await matches(world, [fan, other, third])
  await leagues(world, fan, other, third)
  const closeRounds = await rounds(world, third, [other, fan])
  await questions(world, [fan, other, third])
  await follow(fan, other.handle)
  await follow(other, third.handle)
  expectStatus(204, await put(fan, 'mutes', third.handle))
  await block(third, merged.handle)
  expectStatus(200, await fan.patch('/api/user/privacy', { activity: 'followers' }))
  const quiet = { from: '22:00', to: '07:00' }
  expectStatus(200, await fan.patch('/api/user/notifications', { quiet, timeZone: 'Europe/Madrid' }))
  await world.match({ kickoffAt: new Date(world.clock.ms + 36 * 3_600_000) })
  await remindFans({ db: world.db })
  expectStatus(201, await linkAccount(fan))
  await challenge(fan, newAccount().address)
  expectStatus(201, await upload(fan, newPng()))
  expectStatus(200, await fan.post('/api/auth/native-token', { deviceName: 'Phone' }))
  await moderation(world, fan, other, third)
  for (const operation of ['grantPoints', 'refundPurchase'])
    await world.db.write(tx =>
      recordAction(tx, {
        ...{
          staff: { id: 'link:ana', name: 'Ana', role: 'owner' },
          operation,
          subject: { kind: 'fan', id: fan.id },
        },
        ...{
          reason: 'A delay',
          detail: { points: 1 },
          confirmedBy: { id: 'link:bo', name: 'Bo', role: 'owner' },
        },
      }),
    )
  await world.db.write(tx =>
    mergeFans(tx, { from: merged.id, into: fan.id, mergedBy: 'Ana', reason: 'Two phones' }),
  )
  const erased = await eraseFan(world, fan)
  await operations(world, fan.id)
  world.clock.advance(DAY)
  // Left pending, so that it holds points.
  expectStatus(201, await start(fan, 'starter'))
  await closeRounds()
  await keepDailyFigures(world.db, () => false)
  world.clock.advance(120_000)
  await copyGroupScores(world)
  return erased
}

/** A fan who has bought, won and said things, and is erased. */
async function eraseFan(world: World, other: NamedFan) {
  const fan = await patientNamed(world)
  const provider = world.config.identity.name
  expectStatus(200, await fan.post('/api/user/onboarding', {}))
  await follow(other, fan.handle)
  await topUp(fan, 3_000)
  const opened = await buyWithMoney(fan, 'gold')
  expectStatus(200, await open(fan, opened.userPack.id, 'a seed'))
  expectStatus(200, await fan.post('/api/rewards/claim', { rewardId: 'ticket' }))
  const { id } = expectStatus(201, await checkout(fan, line('voucher', 'one', 2)))
  expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
  expectStatus(201, await checkout(fan, line('shirt', 'm')))
  const by = { decidedBy: 'Ana', reason: 'spam', note: 'Seen.' } as const
  await world.db.write(tx => recordDecision(tx, { ...by, fanId: fan.id, kind: 'hide' }))
  await world.db.write(tx => eraseUser(tx, { provider, subject: fan.subject }))
  return fan
}

/** The counts of the season, before anything else happens: of what is counted, another time is noticed. */
async function countEarly(world: World) {
  const fan = await patientNamed(world)
  expectStatus(200, await fan.patch('/api/user/profile', { country: 'PT', favoriteTeamId: 'harbour' }))
  expectStatus(200, await fan.post('/api/user/onboarding', {}))
  expectStatus(200, await fan.post('/api/rewards/claim', { rewardId: 'scarf' }))
  world.clock.advance(900_000)
  await countSeason(world.db, () => false)
}

/** A fan whose token stays valid when the world advances the clock. */
async function patientNamed(world: World): Promise<NamedFan> {
  const fan = await namedFan(world)
  return { ...fan, ...world.withToken(await world.idp.issueToken(fan.subject, { expiresIn: 365 * 86_400 })) }
}

async function rewards(world: World, fan: NamedFan) {
  for (const path of ['claim', 'redeem'])
    expectStatus(200, await fan.post(`/api/rewards/${path}`, { rewardId: 'ticket' }))
  const { rewards: own } = expectStatus(200, await fan.get('/api/user/rewards'))
  const desk = world.withToken(await world.serverKey(['redemptions:write'], { source: 'desk' }))
  expectStatus(
    200,
    await desk.post(
      `/api/redemptions/${own.find(({ redemptionCode: code }: { redemptionCode: string | null }) => code !== null).redemptionCode}/use`,
      {},
    ),
  )
}

async function items(fan: NamedFan, other: NamedFan) {
  const { items: own } = expectStatus(200, await fan.get('/api/user/collection'))
  const [first, second] = own.flatMap(({ id, serialNumbers }: { id: string; serialNumbers: number[] }) =>
    serialNumbers.map(serialNumber => ({ collectibleId: id, serialNumber })),
  )
  expectStatus(201, await offer(fan, other.handle, [second]))
  const trade = expectStatus(201, await offer(fan, other.handle, [first]))
  expectStatus(200, await accept(other, trade))
  const locker = { title: 'Derby', theme: 'night', shelves: [{ title: 'Goals', items: [second] }] }
  expectStatus(200, await fan.put('/api/user/locker', locker))
}
