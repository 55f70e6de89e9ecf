/** Ownership: every id, cursor and reference that an operation takes, tried by another caller. */
import { beforeAll, expect, test } from 'bun:test'
import { insertRows } from '../../db/bulk.ts'
import { accountKind } from '../../src/economy/accounts/account-kind.ts'
import { appendEntry } from '../../src/economy/points/ledger.ts'
import { recordDecision } from '../../src/identity/sanctions/decisions.ts'
import { addNotification, happens, inboxOf } from '../fan/messages/messages-world.ts'
import { namedFan } from '../identity/relations/relations-world.ts'
import {
  type Document,
  isProtected,
  operationsOf,
  readDocument,
  requiresServerKey,
  walk,
} from '../platform/docs/document.ts'
import { create, join as joinLeague, leave } from '../play/leagues/leagues-world.ts'
import {
  addPack,
  buy,
  cancel,
  EUROS,
  expectStatus,
  FREE,
  open,
  patientFan,
  receipt,
  refusal,
  start,
} from '../play/packs/packs-world.ts'
import { addQuestion, vote } from '../play/questions/questions-world.ts'
import { userIdOf } from '../play/quests/quests-world.ts'
import { addStock, checkout, pay } from '../play/shop/orders-world.ts'
import { completeTopUp, startTopUp, topUp } from '../play/top-ups/cash-world.ts'
import { drawnItem, offer } from '../play/trades/trades-world.ts'
import type { Answer, Client } from '../support/client.ts'
import { dump } from '../support/dump.ts'
import { sqliteEngine } from '../support/engines.ts'
import { type Fan, onEngine } from '../support/world.ts'

/** Names of parameters that identify something in the database. */
const NAMES_SOMETHING = /(Id|Reference|Token|^cursor)$/

/** Ids of the catalogue, which every caller may use. */
const ANYBODYS = [
  'readPack.packId',
  'readProvenance.collectibleId',
  'offerTrade.collectibleId',
  'startPurchase.packId',
  'claimQuest.questId',
  'claimReward.rewardId',
  'issueWalletChallenge.chainId',
  'redeemReward.rewardId',
  'writeProfile.favoriteTeamId',
  'updateProfile.favoriteTeamId',
  'completeOnboarding.favoriteTeamId',
  'readLeaderboard.cursor',
  'listMatches.teamId',
  'listMatches.cursor',
  'readMatch.matchId',
  'listProducts.cursor',
  'readProduct.productId',
  'startCheckout.productId',
  'startCheckout.variantId',
  'readPrediction.matchId',
  'listPlayers.teamId',
  'readPredictionRules.matchId',
  'writePrediction.matchId',
  // Names within the devices of the caller.
  ...['registerDevice.deviceId', 'registerDevice.matchId', 'removeDevice.deviceId'],
  'writeVote.questionId',
  'writeVote.optionId',
  'listQuestions.matchId',
  'listQuestions.cursor',
]

interface Owned {
  /** The owner's id. */
  id: string
  /** Uses an id of this kind. */
  use: (client: Client, id: string) => Promise<Answer>
  /** The response to another caller. */
  refused: [status: number, code: string]
  /** The response to the owner. */
  granted: number
}

/** A fan's own requests change what those of others must find unchanged: they have a world of their own. */
for (const who of ['others', 'its owner'] as const)
  onEngine(sqliteEngine, `what belongs to a fan, asked for by ${who}`, world => {
    let document: Document
    let owner: Fan
    let stranger: Fan
    let owned: Record<string, Owned>
    /** Values that only the owner may see. */
    let secrets: string[]

    beforeAll(async () => {
      document = await readDocument(world)
      owner = await patientFan(world, 10)
      stranger = await patientFan(world, 10)
      const ownersHandle = 'owner'
      await owner.post('/api/user/profile', { handle: ownersHandle })
      await world.grant(owner, 1)
      const [free, priced] = [await addPack(world, { price: FREE }), await addPack(world, { price: EUROS })]
      const pending = (await start(owner, priced)).body.id
      const cancellable = (await start(owner, priced)).body.id
      for (const rewardId of [
        await world.reward({ pointsRequired: 0 }),
        await world.reward({ pointsRequired: 0 }),
      ])
        await owner.post('/api/rewards/claim', { rewardId })
      const kickoffAt = new Date(world.clock.ms + 60_000)
      for (const matchId of [await world.match({ kickoffAt }), await world.match({ kickoffAt })])
        await owner.put(`/api/matches/${matchId}/prediction`, { homeScore: 1, awayScore: 0 })
      for (const id of [await addQuestion(world), await addQuestion(world)]) await vote(owner, id, 'home')
      const strangersOwn = (await start(stranger, priced)).body.id
      const opened = await buy(owner, free)
      const [drawn] = expectStatus(200, await open(owner, opened.userPack.id)).items
      // A second collectible, so that the collection has a second page.
      await open(owner, (await buy(owner, await addPack(world, { price: FREE }))).userPack.id)
      const sealed = (await buy(owner, free)).userPack
      const productId = await addStock(world, null)
      const newOrder = async (fan: Fan) => expectStatus(201, await checkout(fan, productId)).id
      const [order, cancellableOrder] = [await newOrder(owner), await newOrder(owner)]
      const strangersOrder = await newOrder(stranger)
      const newTopUp = async (fan: Fan) => expectStatus(201, await startTopUp(fan, 500)).id
      const [pendingTopUp, strangersTopUp] = [await newTopUp(owner), await newTopUp(stranger)]
      const { id: completedTopUp } = await topUp(owner, 500)
      await topUp(owner, 500)
      await buy(stranger, free)
      const [partner, item] = [await namedFan(world), await drawnItem(world, owner)]
      await addNotification(world, { id: 'owned', eventType: 'card.owned' })
      const { id: holderId } = (await owner.post('/api/user/profile', {})).body
      for (const _ of ['deleted', 'kept', 'paged']) await happens(world, holderId, {}, 'card.owned')
      const message = (await inboxOf(owner)).messages.find(({ title }) => title === 'Bought')?.id ?? ''
      const offered = (await offer(owner, partner.handle, [item])).body.id
      await offer(owner, partner.handle, [item])
      const { id: league, code } = await create(owner)
      await joinLeague(partner, code)
      await world.db.write(tx =>
        insertRows(
          tx,
          tx.tables.leagueRounds,
          [1, 2].map(number => ({
            ...{ leagueId: league, number, week: '2026-W34' },
            ...{ startsAt: tx.now(), endsAt: new Date(tx.now().getTime() + 1) },
          })),
        ),
      )
      const { id: strangersLeague } = await create(stranger)
      const others = [
        await namedFan(world),
        await namedFan(world),
        await namedFan(world),
        await namedFan(world),
      ]
      for (const [at, { handle, put }] of others.entries()) {
        for (const list of at < 2 ? ['following', 'mutes'] : ['blocks'])
          await owner.put(`/api/user/${list}/${handle}`)
        const report = { subject: { kind: 'fan', id: handle }, reason: 'spam' }
        await owner.post('/api/reports', report)
        if (at < 2) await put(`/api/user/following/${ownersHandle}`)
      }
      const shown = await namedFan(world)
      for (let n = 0; n < 2; n++) await open(shown, (await buy(shown, free)).userPack.id)
      await owner.put(`/api/user/following/${shown.handle}`)
      await owner.post('/api/auth/native-token')
      const device = (await owner.post('/api/auth/native-token')).body
      await owner.post('/api/user/sync-mock-idp')
      const profile = (await owner.get('/api/user/profile')).body
      const points = (await owner.get('/api/user/points')).body
      secrets = [
        pending,
        cancellable,
        order,
        pendingTopUp,
        completedTopUp,
        opened.id,
        sealed.id,
        device.sessionId,
        profile.identity.email,
        points.entries[0].id,
      ]

      const page = async (path: string): Promise<Owned> => ({
        id: (await owner.get(`${path}?limit=1`)).body.nextCursor,
        use: (client, cursor) => client.get(`${path}?cursor=${cursor}`),
        refused: [400, 'invalid_cursor'],
        granted: 200,
      })
      const hide = (fanId: string) => {
        const decision = { fanId, kind: 'hide', reason: 'spam', decidedBy: 'Ana' } as const
        return world.db.write(async tx => (await recordDecision(tx, decision)).id)
      }
      const ownerId = await userIdOf(world, owner)
      await world.db.write(tx => accountKind.upsert(tx, { id: 'status', name: 'Status', unit: 'points' }))
      for (const ref of ['first', 'second'])
        await world.db.write(tx =>
          appendEntry(tx, { userId: ownerId, delta: 1, reason: 'adjustment', ref, accountId: 'status' }),
        )
      const send =
        (method: 'post' | 'put', path: string, name: string, more: object = {}) =>
        (client: Client, id: string) =>
          client[method](path, { [name]: id, ...more })
      const PURCHASE = '/api/packs/purchase'
      owned = {
        'issueSandboxReceipt.purchaseId': {
          id: pending,
          use: send('post', '/api/sandbox/receipts', 'purchaseId'),
          refused: [404, 'purchase_not_found'],
          granted: 201,
        },
        'preparePayment.purchaseId': {
          id: pending,
          use: send('post', `${PURCHASE}/payment`, 'purchaseId'),
          refused: [404, 'purchase_not_found'],
          granted: 200,
        },
        // A payment of the owner does not pay for another caller.
        'completePurchase.paymentReference': {
          id: await receipt(owner, pending),
          use: (client, paymentReference) =>
            client.put(PURCHASE, { purchaseId: client === owner ? pending : strangersOwn, paymentReference }),
          refused: [402, 'payment_not_confirmed'],
          granted: 200,
        },
        'completePurchase.purchaseId': {
          id: opened.id,
          use: send('put', PURCHASE, 'purchaseId'),
          refused: [404, 'purchase_not_found'],
          granted: 200,
        },
        'prepareTopUpPayment.topUpId': {
          id: pendingTopUp,
          use: send('post', '/api/cash/top-ups/payment', 'topUpId'),
          refused: [404, 'top_up_not_found'],
          granted: 200,
        },
        // A payment of the owner does not pay for another caller.
        'completeTopUp.paymentReference': {
          id: await receipt(owner, pendingTopUp),
          use: (client, paymentReference) =>
            completeTopUp(client, client === owner ? pendingTopUp : strangersTopUp, paymentReference),
          refused: [402, 'payment_not_confirmed'],
          granted: 200,
        },
        'completeTopUp.topUpId': {
          id: completedTopUp,
          use: send('put', '/api/cash/top-ups', 'topUpId', { paymentReference: 'repeated' }),
          refused: [404, 'top_up_not_found'],
          granted: 200,
        },
        'readTopUp.topUpId': {
          id: completedTopUp,
          use: (client, id) => client.get(`/api/user/top-ups/${id}`),
          refused: [404, 'top_up_not_found'],
          granted: 200,
        },
        'listTopUps.cursor': await page('/api/cash/top-ups'),
        'listCashEntries.cursor': await page('/api/cash/EUR/entries'),
        'listAccountEntries.cursor': await page('/api/user/accounts/status/entries'),
        'prepareOrderPayment.orderId': {
          id: order,
          use: send('post', '/api/checkout/payment', 'orderId', { method: 'gateway' }),
          refused: [404, 'order_not_found'],
          granted: 200,
        },
        // A payment of the owner does not pay for another caller.
        'completeCheckout.paymentReference': {
          id: await pay(owner, order),
          use: (client, paymentReference) =>
            client.put('/api/checkout', {
              orderId: client === owner ? order : strangersOrder,
              paymentReference,
            }),
          refused: [402, 'payment_not_confirmed'],
          granted: 200,
        },
        'completeCheckout.orderId': {
          id: order,
          use: send('put', '/api/checkout', 'orderId'),
          refused: [404, 'order_not_found'],
          granted: 200,
        },
        'cancelCheckout.orderId': {
          id: cancellableOrder,
          use: send('post', '/api/checkout/cancel', 'orderId'),
          refused: [404, 'order_not_found'],
          granted: 200,
        },
        'readOrder.orderId': {
          id: order,
          use: (client, id) => client.get(`/api/user/orders/${id}`),
          refused: [404, 'order_not_found'],
          granted: 200,
        },
        'readReceipt.orderId': {
          id: order,
          use: (client, id) => client.get(`/api/user/orders/${id}/receipt`),
          refused: [404, 'receipt_not_found'],
          granted: 200,
        },
        'withdrawOrder.orderId': {
          id: order,
          use: (client, id) => client.post(`/api/user/orders/${id}/withdrawal`),
          refused: [404, 'order_not_found'],
          granted: 200,
        },
        // Of a line without a file.
        'issueDownload.orderId': {
          id: order,
          use: (client, id) => client.get(`/api/user/orders/${id}/lines/1/download`),
          refused: [404, 'order_not_found'],
          granted: 404,
        },
        // For a sealed pack, which has no draw yet.
        'readProof.userPackId': {
          id: sealed.id,
          use: (client, id) => client.get(`/api/packs/proofs/${id}`),
          refused: [404, 'proof_not_found'],
          granted: 404,
        },
        'openPack.userPackId': {
          id: sealed.id,
          use: send('post', '/api/packs/open', 'userPackId', { clientSeed: 'mine' }),
          refused: [404, 'user_pack_not_found'],
          granted: 200,
        },
        // An item of the owner is on no shelf of another caller.
        'writeLocker.collectibleId': {
          id: drawn.id,
          use: (client, collectibleId) => {
            const items = [{ collectibleId, serialNumber: drawn.serialNumber }]
            return client.put('/api/user/locker', {
              title: '',
              theme: 'classic',
              shelves: [{ title: '', items }],
            })
          },
          refused: [409, 'item_not_owned'],
          granted: 200,
        },
        'readPurchase.purchaseId': {
          id: opened.id,
          use: (client, id) => client.get(`/api/packs/purchases/${id}`),
          refused: [404, 'purchase_not_found'],
          granted: 200,
        },
        'cancelPurchase.purchaseId': {
          id: cancellable,
          use: cancel,
          refused: [404, 'purchase_not_found'],
          granted: 200,
        },
        'endSession.sessionId': {
          id: device.sessionId,
          use: (client, id) => client.send(`/api/auth/sessions/${id}`, { method: 'DELETE' }),
          refused: [404, 'session_not_found'],
          granted: 204,
        },
        'deleteMessage.messageId': {
          id: message,
          use: (client, id) => client.send(`/api/user/inbox/${id}`, { method: 'DELETE' }),
          refused: [404, 'message_not_found'],
          granted: 204,
        },
        'readTrade.tradeId': {
          id: offered,
          use: (client, id) => client.get(`/api/trades/${id}`),
          refused: [404, 'trade_not_found'],
          granted: 200,
        },
        // A stranger has not received the offer; the owner made it, and cannot accept it either.
        'acceptTrade.tradeId': {
          id: offered,
          use: (client, id) => client.post(`/api/trades/${id}/accept`, { version: 1 }),
          refused: [404, 'trade_not_found'],
          granted: 404,
        },
        'declineTrade.tradeId': {
          id: offered,
          use: (client, id) => client.post(`/api/trades/${id}/decline`),
          refused: [404, 'trade_not_found'],
          granted: 404,
        },
        'cancelTrade.tradeId': {
          id: offered,
          use: (client, id) => client.post(`/api/trades/${id}/cancel`),
          refused: [404, 'trade_not_found'],
          granted: 200,
        },
        'readLeague.cursor': {
          id: (await owner.get(`/api/leagues/${league}?limit=1`)).body.nextCursor,
          use: (client, cursor) =>
            client.get(`/api/leagues/${client === owner ? league : strangersLeague}?cursor=${cursor}`),
          refused: [400, 'invalid_cursor'],
          granted: 200,
        },
        'readLeague.leagueId': {
          id: league,
          use: (client, id) => client.get(`/api/leagues/${id}`),
          refused: [404, 'league_not_found'],
          granted: 200,
        },
        'readLeagueRounds.leagueId': {
          id: league,
          use: (client, id) => client.get(`/api/leagues/${id}/rounds`),
          refused: [404, 'league_not_found'],
          granted: 200,
        },
        'readLeagueRounds.cursor': {
          id: (await owner.get(`/api/leagues/${league}/rounds?limit=1`)).body.nextCursor,
          use: (client, cursor) =>
            client.get(`/api/leagues/${client === owner ? league : strangersLeague}/rounds?cursor=${cursor}`),
          refused: [400, 'invalid_cursor'],
          granted: 200,
        },
        'changeLeague.leagueId': {
          id: league,
          use: (client, id) => client.patch(`/api/leagues/${id}`, { locked: true }),
          refused: [404, 'league_not_found'],
          granted: 200,
        },
        'banFromLeague.leagueId': {
          id: league,
          use: (client, id) => client.put(`/api/leagues/${id}/bans/${partner.handle}`),
          refused: [404, 'league_not_found'],
          granted: 204,
        },
        'endLeagueBan.leagueId': {
          id: league,
          use: (client, id) => client.send(`/api/leagues/${id}/bans/${partner.handle}`, { method: 'DELETE' }),
          refused: [404, 'league_not_found'],
          granted: 204,
        },
        'removeLeagueMember.leagueId': {
          id: league,
          use: (client, id) => leave(client, id),
          refused: [404, 'league_not_found'],
          granted: 204,
        },
        'listSessions.cursor': await page('/api/auth/sessions'),
        'listInbox.cursor': await page('/api/user/inbox'),
        'listTrades.cursor': await page('/api/user/trades'),
        'listOrders.cursor': await page('/api/user/orders'),
        'listPurchases.cursor': await page('/api/packs/purchases'),
        'listOwnRewards.cursor': await page('/api/user/rewards'),
        'listPredictions.cursor': await page('/api/user/predictions'),
        'listVotes.cursor': await page('/api/user/votes'),
        'listFollowing.cursor': await page('/api/user/following'),
        'listFollowers.cursor': await page('/api/user/followers'),
        'listMutes.cursor': await page('/api/user/mutes'),
        'listBlocks.cursor': await page('/api/user/blocks'),
        'fileAppeal.sanctionId': {
          id: await hide(profile.id),
          use: send('post', '/api/user/appeals', 'sanctionId', { text: 'x' }),
          refused: [404, 'sanction_not_found'],
          granted: 201,
        },
        'listReports.cursor': await page('/api/user/reports'),
        'readFeed.cursor': await page('/api/feed'),
        'readPoints.cursor': await page('/api/user/points'),
        'listUserPacks.cursor': await page('/api/user/packs'),
        'readCollection.cursor': await page('/api/user/collection'),
      }
    })

    /** Credentials, which authenticate by themselves. */
    const CREDENTIALS = ['refreshNativeToken.refreshToken']
    /** Positions in what belongs to the caller. */
    const POSITIONS = ['openStream.lastEventId']

    if (who === 'its owner') {
      // Shows that the other tests are meaningful: the owner is not refused.
      test('is accessible to its owner', async () => {
        for (const [name, { id, use, granted }] of Object.entries(owned))
          expect((await use(owner, id)).status, name).toBe(granted)
      })
      return
    }

    test('the list covers all ids that operations take, except those of the catalogue, credentials and positions', () => {
      expect(namesIn(document).toSorted()).toEqual(
        [...ANYBODYS, ...CREDENTIALS, ...POSITIONS, ...Object.keys(owned)].toSorted(),
      )
    })

    test('is reported as missing to another caller, and does not change', async () => {
      const before = await dump(world.db)
      for (const [name, { id, use, refused }] of Object.entries(owned)) {
        expect(id, name).toMatch(/.{10,}/)
        const answer = await use(stranger, id)
        expect(refusal(answer), name).toEqual(refused)
        const unknown = await use(stranger, '01981e2c-7c1f-7000-8000-0000000000ff')
        // The same response word for word: a difference would disclose that the id exists.
        expect({ ...answer.body, requestId: '' }, name).toEqual({ ...unknown.body, requestId: '' })
        expectNoSecret(answer, name)
      }
      expect(await dump(world.db)).toEqual(before)
    })

    test('is not accessible without a token', async () => {
      const before = await dump(world.db)
      for (const [name, { id, use, refused }] of Object.entries(owned)) {
        const answer = await use(world.anonymous, id)
        const isPublic = name === 'readProof.userPackId'
        expect(refusal(answer), name).toEqual(isPublic ? refused : [401, 'unauthenticated'])
        expectNoSecret(answer, name)
      }
      expect(await dump(world.db)).toEqual(before)
    })

    test('is in no response to another caller', async () => {
      expectStatus(202, await stranger.post('/api/user/export'))
      const reads = operationsOf(document).filter(located => located.method === 'GET' && isProtected(located))
      expect(reads.length).toBeGreaterThan(6)
      for (const { name, path } of reads.filter(({ path }) => !path.includes('{'))) {
        const answer = await stranger.get(path === '/api/stream' ? `${path}?topics=me,leaderboard` : path)
        expect(answer.status, name).toBe(200)
        expectNoSecret(answer, name)
      }
    })

    function expectNoSecret({ body }: Answer, name: string) {
      for (const secret of secrets) expect(JSON.stringify(body ?? null), name).not.toContain(secret)
    }
  })

/** Such as `openPack.userPackId`: members of bodies, queries and paths. A server key may name any fan. */
function namesIn(document: Document): string[] {
  const operations = operationsOf(document).filter(located => !requiresServerKey(located))
  return operations.flatMap(({ operation }) => {
    const names = (operation.parameters ?? []).flatMap(({ name }) => name ?? [])
    const follow = (schema: unknown): void =>
      walk(schema, ({ properties, $ref }) => {
        if (typeof $ref === 'string') follow(document.components.schemas[$ref.split('/').at(-1) ?? ''])
        names.push(...Object.keys((properties as object | undefined) ?? {}))
      })
    follow(operation.requestBody)
    return [...new Set(names)]
      .filter(name => NAMES_SOMETHING.test(name))
      .map(name => `${operation.operationId}.${name}`)
  })
}
