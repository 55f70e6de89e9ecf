/** Every mutation of a caller takes `Idempotency-Key`, as documented; found by walking the OpenAPI document. */

import { beforeAll, expect, test } from 'bun:test'
import { documentKind } from '../../../src/club/documents/document-kind.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { newPng } from '../../club/pictures/pictures-world.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { addCampaign, generateOne } from '../../play/codes/codes-world.ts'
import { create, POINTS } from '../../play/leagues/leagues-world.ts'
import { addPack, buy, EUROS, FREE, patientFan, receipt, start } from '../../play/packs/packs-world.ts'
import { addQuestion } from '../../play/questions/questions-world.ts'
import { addQuest, happen } from '../../play/quests/quests-world.ts'
import { ADDRESS, addStock, buyWithMoney, checkout, pay } from '../../play/shop/orders-world.ts'
import { startTopUp } from '../../play/top-ups/cash-world.ts'
import { drawnItem, offer, offeredTo } from '../../play/trades/trades-world.ts'
import { challenge, newAccount } from '../../play/wallets/wallets-world.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { overrideSettings } from '../../support/settings.ts'
import { type Fan, onEngine } from '../../support/world.ts'
import { type Document, isProtected, type Located, operationsOf, readDocument } from '../docs/document.ts'

const MUTATIONS = ['POST', 'PUT', 'PATCH']
/** Their responses carry secrets, which are not stored. */
const ISSUES_SECRETS = /^\/api\/(auth|stream)\//
const REFERENCE = { $ref: '#/components/parameters/IdempotencyKey' }

onEngine(sqliteEngine, 'documented mutations', world => {
  let document: Document
  /** Mutations of fans, without `ISSUES_SECRETS`. */
  let mutations: Located[]
  beforeAll(async () => {
    document = await readDocument(world)
    mutations = operationsOf(document).filter(
      located =>
        isProtected(located) && MUTATIONS.includes(located.method) && !ISSUES_SECRETS.test(located.path),
    )
  })

  /** Makes one of each succeed: answers its body. A new operation needs a line here. */
  const bodies: Record<string, (fan: Fan) => Promise<unknown> | unknown> = {
    writeProfile: () => ({ bio: 'x' }),
    updateProfile: async fan => {
      await fan.post('/api/user/profile', {})
      return { bio: 'y' }
    },
    completeOnboarding: () => ({}),
    requestExport: () => ({}),
    syncIdentity: () => ({}),
    syncNamedIdentity: () => ({}),
    claimReward: async () => ({ rewardId: await world.reward({ pointsRequired: 0 }) }),
    redeemCode: async () => ({ code: await generateOne(world, await addCampaign(world)) }),
    redeemReward: async fan => {
      const rewardId = await world.reward({ pointsRequired: 0 })
      await fan.post('/api/rewards/claim', { rewardId })
      return { rewardId }
    },
    claimQuest: async fan => {
      const quest = await addQuest(world, { claim: 'manual' })
      await happen(world, fan, quest.type)
      return { questId: quest.id }
    },
    startPurchase: async () => ({ packId: await addPack(world, { price: FREE }) }),
    completePurchase: async fan => {
      const purchaseId = (await start(fan, await addPack(world, { price: EUROS }))).body.id
      return { purchaseId, paymentReference: await receipt(fan, purchaseId) }
    },
    openPack: async fan => {
      const purchase = await buy(fan, await addPack(world, { price: FREE }))
      return { userPackId: purchase.userPack.id, clientSeed: 'x' }
    },
    cancelPurchase: () => ({}),
    startCheckout: async () => ({
      lines: [{ productId: await addStock(world, null), quantity: 1 }],
      address: ADDRESS,
    }),
    completeCheckout: async fan => {
      const orderId = (await checkout(fan, await addStock(world, null))).body.id
      return { orderId, paymentReference: await pay(fan, orderId) }
    },
    prepareOrderPayment: async fan => ({
      orderId: (await checkout(fan, await addStock(world, null))).body.id,
      method: 'gateway',
    }),
    cancelCheckout: async fan => ({ orderId: (await checkout(fan, await addStock(world, null))).body.id }),
    withdrawOrder: () => ({ lines: [1] }),
    writePrediction: () => ({ homeScore: 2, awayScore: 1 }),
    writeVote: () => ({ optionId: 'home' }),
    registerDevice: fan => ({ kind: 'fcm', token: fan.subject }),
    offerTrade: async fan => ({ to: (await namedFan(world)).handle, give: [await drawnItem(world, fan)] }),
    acceptTrade: () => ({ version: 1 }),
    declineTrade: () => ({}),
    cancelTrade: () => ({}),
    issueWalletChallenge: () => ({ address: newAccount().address, chainId: 1 }),
    linkWallet: async fan => {
      const account = newAccount()
      const { message, nonce } = await challenge(fan, account.address)
      return { nonce, signature: await account.signMessage({ message }) }
    },
    uploadPicture: () => newPng(),
    checkIn: async () => ({
      code: world.deps.checkInCodes.issue(await world.match(), world.clock.now()).code,
    }),
    joinLeaderboard: () => ({}),
    followFan: () => ({}),
    muteFan: () => ({}),
    blockFan: () => ({}),
    fileAppeal: async fan => {
      const { id: fanId } = (await fan.post('/api/user/profile', {})).body
      const decision = { fanId, kind: 'hide', reason: 'spam', decidedBy: 'Ana' } as const
      return { sanctionId: (await world.db.write(tx => recordDecision(tx, decision))).id, text: 'x' }
    },
    fileReport: async () => ({
      subject: { kind: 'fan', id: (await namedFan(world)).handle },
      reason: 'spam',
    }),
    writeConsents: async () => {
      const document = { id: 'news', version: '1', purpose: 'news', text: 'I agree.' }
      await world.db.write(tx => documentKind.upsert(tx, document))
      return { news: { granted: true, version: '1' } }
    },
    acceptTerms: () => {
      endTerms = overrideSettings(world.db, { termsVersion: '2026-08' })
      return { version: '2026-08' }
    },
    createLeague: () => POINTS,
    joinLeague: async () => ({ code: (await create(await world.fan())).code }),
    changeLeague: () => ({ locked: true }),
    banFromLeague: () => ({}),
    writeLocker: () => ({ title: 'Mine', theme: 'night', shelves: [] }),
    changePrivacy: () => ({ profile: 'private' }),
    changeNotificationPreferences: () => ({ match: { push: false } }),
    setOwnLimits: () => ({ spending: { amount: 5000, currency: 'EUR', per: 'month' } }),
    readMessages: () => ({ until: '2026-08-15T18:30:00.000Z' }),
    startTopUp: () => ({ amount: 500, currency: 'EUR' }),
    prepareTopUpPayment: async fan => ({ topUpId: (await startTopUp(fan, 500)).body.id }),
    completeTopUp: async fan => {
      const { id: topUpId } = (await startTopUp(fan, 500)).body
      return { topUpId, paymentReference: await receipt(fan, topUpId) }
    },
    preparePayment: async fan => ({
      purchaseId: (await start(fan, await addPack(world, { price: EUROS }))).body.id,
    }),
    issueSandboxReceipt: async fan => ({
      purchaseId: (await start(fan, await addPack(world, { price: EUROS }))).body.id,
    }),
  }

  /** The path of an operation that has parameters. */
  const paths: Record<string, (fan: Fan) => Promise<string>> = {
    registerDevice: async () => '/api/user/devices/phone',
    withdrawOrder: async fan =>
      `/api/user/orders/${(await buyWithMoney(fan, await addStock(world, null))).id}/withdrawal`,
    writeVote: async () => `/api/questions/${await addQuestion(world)}/vote`,
    writePrediction: async () => {
      const kickoffAt = new Date(world.clock.ms + 1)
      return `/api/matches/${await world.match({ kickoffAt })}/prediction`
    },
    followFan: async () => `/api/user/following/${(await namedFan(world)).handle}`,
    muteFan: async () => `/api/user/mutes/${(await namedFan(world)).handle}`,
    blockFan: async () => `/api/user/blocks/${(await namedFan(world)).handle}`,
    acceptTrade: async fan => `/api/trades/${(await offeredTo(world, fan)).id}/accept`,
    declineTrade: async fan => `/api/trades/${(await offeredTo(world, fan)).id}/decline`,
    cancelTrade: async fan => {
      const { handle } = await namedFan(world)
      return `/api/trades/${(await offer(fan, handle, [await drawnItem(world, fan)])).body.id}/cancel`
    },
    changeLeague: async fan => `/api/leagues/${(await create(fan)).id}`,
    banFromLeague: async fan =>
      `/api/leagues/${(await create(fan)).id}/bans/${(await namedFan(world)).handle}`,
    cancelPurchase: async fan => {
      const { id } = (await start(fan, await addPack(world, { price: FREE }))).body
      return `/api/packs/purchases/${id}/cancel`
    },
  }

  test('each documents the header, its refusals and the header of a replay; no other operation does', () => {
    const named = operationsOf(document).filter(({ operation }) =>
      JSON.stringify(operation.parameters ?? []).includes(REFERENCE.$ref),
    )
    expect(named.map(({ name }) => name)).toEqual(mutations.map(({ name }) => name))
    expect(mutations.length).toBeGreaterThan(8)
    for (const { name, operation } of mutations) {
      const codes = (status: number) =>
        Object.keys(operation.responses[status]?.content?.['application/problem+json']?.examples ?? {})
      expect(codes(400), name).toContain('malformed_request')
      expect(codes(409), name).toContain('idempotency_in_progress')
      expect(codes(422), name).toContain('idempotency_key_reused')
      const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
      for (const [, { headers }] of answers)
        expect(Object.keys(headers), name).toContain('Idempotent-Replayed')
    }
  })

  test('each refuses a malformed key before it looks at the body', async () => {
    const fan = await patientFan(world)
    for (const { name, method, path } of mutations) {
      const { status, body } = await fan.send(path, {
        method,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k'.repeat(256) },
        body: '{"no":"member"}',
      })
      expect([status, body.code, body.errors?.[0]?.header], name).toEqual([
        400,
        'malformed_request',
        'Idempotency-Key',
      ])
    }
  })

  test('no other operation reads the header', async () => {
    const others = operationsOf(document).filter(
      located => isProtected(located) && !mutations.some(({ name }) => name === located.name),
    )
    expect(others.length).toBeGreaterThan(30)
    for (const { name, method, path } of others) {
      // One of them deletes its fan.
      const fan = await patientFan(world)
      const { body } = await fan.send(path, {
        method,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k'.repeat(256) },
        ...(method === 'GET' ? {} : { body: '{}' }),
      })
      expect(JSON.stringify(body ?? null), name).not.toContain('Idempotency-Key')
    }
  })

  /** Other operations of the world need no terms. */
  let endTerms = () => {}

  test('each replays its response to a repeat, refuses another body, and stores no token', async () => {
    expect(Object.keys(bodies).toSorted()).toEqual(
      mutations.map(({ operation }) => operation.operationId).toSorted(),
    )
    for (const { name, method, path, operation } of mutations) {
      const fan = await patientFan(world)
      endTerms()
      const body = await bodies[operation.operationId]?.(fan)
      const to = (await paths[operation.operationId]?.(fan)) ?? path
      const send = (asked: unknown) =>
        fan.send(to, {
          method,
          headers: { 'content-type': 'application/json', 'idempotency-key': 'a-key' },
          body: asked instanceof Buffer ? new Uint8Array(asked) : JSON.stringify(asked),
        })
      const [first, again] = [await send(body), await send(body)]
      expect(first.status, `${name}: ${JSON.stringify(first.body)}`).toBeLessThan(300)
      expect(first.headers.get('idempotent-replayed'), name).toBeNull()
      expect([again.status, again.body], name).toEqual([first.status, first.body])
      expect(again.headers.get('idempotent-replayed'), name).toBe('true')
      // What takes no body has no other one that would be valid.
      const otherwise: Record<string, unknown> = {
        completeOnboarding: { joinLeaderboard: false },
        startTopUp: { amount: 501, currency: 'EUR' },
        withdrawOrder: { lines: [2] },
        writePrediction: { homeScore: 0, awayScore: 0 },
        writeVote: { optionId: 'away' },
        registerDevice: { kind: 'fcm', token: 'z' },
        uploadPicture: newPng(),
        changePrivacy: { profile: 'followers' },
        changeNotificationPreferences: { match: { push: true } },
        setOwnLimits: { spending: null },
        readMessages: { until: '2026-08-15T18:30:01.000Z' },
        acceptTerms: { version: '2' },
        writeConsents: { news: { granted: false, version: '1' } },
        fileReport: { subject: { kind: 'fan', id: 'z' }, reason: 'spam' },
        changeLeague: { locked: false },
        acceptTrade: { version: 2 },
        startCheckout: { lines: [{ productId: 'z', quantity: 1 }] },
        issueWalletChallenge: { address: newAccount().address, chainId: 1 },
      }
      const [member] = Object.keys(body as object)
      const other =
        otherwise[operation.operationId] ?? (member ? { ...(body as object), [member]: 'z' } : null)
      if (other) expect((await send(other)).body.code, name).toBe('idempotency_key_reused')
    }
    const rows = await world.db.read.select().from(world.db.tables.idempotencyKeys)
    expect(rows.length).toBeGreaterThan(8)
    for (const { route, response } of rows) {
      expect(response ?? '', route).not.toMatch(/"(token|refreshToken|clientSecret|access_token)"/)
    }
  })
})
