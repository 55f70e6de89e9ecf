/**
 * Every operation that writes, raced with the erasure of its fan: whichever comes first, nothing of the fan is left. Found by
 * walking the OpenAPI document. The subject of the fan is in all texts, so that any row that keeps one of them shows it.
 */
import { describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../db/index.ts'
import { runStatement } from '../../../db/schema/shape.ts'
import { eraseUser, planErasure } from '../../../src/fan/account/erase-user.ts'
import type { ServerScope } from '../../../src/identity/server-keys/scopes.ts'
import { eventOf } from '../../economy/events/events-world.ts'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import { fetchDocument, operationsOf } from '../../platform/docs/document.ts'
import { addPack, buy, EUROS, expectStatus, FREE, start } from '../../play/packs/packs-world.ts'
import { addQuest, happen, userIdOf } from '../../play/quests/quests-world.ts'
import type { Answer } from '../../support/client.ts'
import { dump } from '../../support/dump.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'

let grants = 0

interface Racing {
  /** Sends the request that is raced. */
  send(): Promise<Answer>
  /** What it answers when the fan was erased before: 401 `invalid_token` if absent. */
  refusal?: [status: number, code: string | undefined]
}

/** Prepares a fan for the operation of this id. A new operation that writes needs a line here, or in `WITHOUT_FAN`. */
const operations: Record<string, (world: World, fan: Fan) => Promise<Racing> | Racing> = {
  writeProfile: (_, fan) => ({ send: () => fan.post('/api/user/profile', { bio: fan.subject }) }),
  updateProfile: (_, fan) => ({
    send: () => fan.patch('/api/user/profile', { bio: fan.subject }, { 'idempotency-key': fan.subject }),
  }),
  completeOnboarding: (_, fan) => ({
    send: () => fan.post('/api/user/onboarding', { profile: { bio: fan.subject } }),
  }),
  syncIdentity: (_, fan) => ({ send: () => fan.post('/api/user/sync-identity') }),
  syncNamedIdentity: (_, fan) => ({ send: () => fan.post('/api/user/sync-mock-idp') }),
  joinLeaderboard: (_, fan) => ({ send: () => fan.put('/api/user/leaderboard-membership') }),
  leaveLeaderboard: async (_, fan) => {
    expectStatus(204, await fan.put('/api/user/leaderboard-membership'))
    return { send: () => fan.send('/api/user/leaderboard-membership', { method: 'DELETE' }) }
  },
  claimReward: async (world, fan) => {
    const rewardId = await world.reward({ pointsRequired: 0 })
    return { send: () => fan.post('/api/rewards/claim', { rewardId }) }
  },
  redeemReward: async (world, fan) => {
    const rewardId = await claimed(world, fan)
    return { send: () => fan.post('/api/rewards/redeem', { rewardId }) }
  },
  useRedemption: async (world, fan) => {
    const rewardId = await claimed(world, fan)
    const { reward } = expectStatus(200, await fan.post('/api/rewards/redeem', { rewardId }))
    const desk = await serverClient(world, 'redemptions:write')
    return {
      send: () => desk.post(`/api/redemptions/${reward.redemptionCode}/use`),
      refusal: [404, 'redemption_not_found'],
    }
  },
  claimQuest: async (world, fan) => {
    const quest = await addQuest(world, { claim: 'manual' })
    await happen(world, fan, quest.type)
    return { send: () => fan.post('/api/quests/claim', { questId: quest.id }) }
  },
  startPurchase: async (world, fan) => {
    const packId = await addPack(world, { price: FREE })
    return { send: () => start(fan, packId) }
  },
  completePurchase: async (world, fan) => {
    const { id: purchaseId } = expectStatus(201, await start(fan, await addPack(world, { price: FREE })))
    return { send: () => fan.put('/api/packs/purchase', { purchaseId }) }
  },
  cancelPurchase: async (world, fan) => {
    const { id } = expectStatus(201, await start(fan, await addPack(world, { price: FREE })))
    return { send: () => fan.post(`/api/packs/purchases/${id}/cancel`) }
  },
  preparePayment: async (world, fan) => {
    const { id: purchaseId } = expectStatus(201, await start(fan, await addPack(world, { price: EUROS })))
    return { send: () => fan.post('/api/packs/purchase/payment', { purchaseId }) }
  },
  issueSandboxReceipt: async (world, fan) => {
    const { id: purchaseId } = expectStatus(201, await start(fan, await addPack(world, { price: EUROS })))
    return { send: () => fan.post('/api/sandbox/receipts', { purchaseId }) }
  },
  openPack: async (world, fan) => {
    const { userPack } = await buy(fan, await addPack(world, { price: FREE }))
    return { send: () => fan.post('/api/packs/open', { userPackId: userPack.id, clientSeed: 'x' }) }
  },
  checkIn: async (world, fan) => {
    const { code } = world.deps.checkInCodes.issue(await world.match(), world.clock.now())
    return { send: () => fan.post('/api/check-ins', { code }) }
  },
  writePrediction: async (world, fan) => {
    const matchId = await world.match({ kickoffAt: new Date(world.clock.ms + 60_000) })
    const scores = { homeScore: 2, awayScore: 1 }
    return { send: () => fan.put(`/api/matches/${matchId}/prediction`, scores) }
  },
  createNativeToken: (_, fan) => ({
    send: () => fan.post('/api/auth/native-token', { deviceName: fan.subject }),
  }),
  refreshNativeToken: async (world, fan) => {
    const { refreshToken } = expectStatus(200, await fan.post('/api/auth/native-token', {}))
    return {
      send: () => world.anonymous.post('/api/auth/native-token/refresh', { refreshToken }),
      refusal: [401, 'invalid_refresh_token'],
    }
  },
  logOut: (_, fan) => ({ send: () => fan.post('/api/auth/logout', {}), refusal: [204, undefined] }),
  endSession: async (_, fan) => {
    const { sessionId } = expectStatus(200, await fan.post('/api/auth/native-token', {}))
    return {
      send: () => fan.send(`/api/auth/sessions/${sessionId}`, { method: 'DELETE' }),
      refusal: [404, 'session_not_found'],
    }
  },
  deleteAccount: (_, fan) => ({
    send: () => fan.send('/api/user', { method: 'DELETE' }),
    refusal: [204, undefined],
  }),
  receiveIdentityEvent: (world, { subject }) => ({
    send: () => deliver(world, updated(world, subject, { name: subject })),
    refusal: [204, undefined],
  }),
  grantPoints: async (world, { subject }) => {
    const desk = await serverClient(world, 'points:write')
    const fan = { provider: world.config.identity.name, subject }
    const grant = { fan, delta: 5, ref: `grant-${++grants}`, note: `About ${subject}` }
    return { send: () => desk.post('/api/points/grants', grant), refusal: [404, 'fan_not_found'] }
  },
  recordEvents: async (world, { subject }) => {
    const gate = await serverClient(world, 'events:write')
    const events = [eventAbout(world, subject)]
    return { send: () => gate.post('/api/events', { events }), refusal: [200, undefined] }
  },
  voidEvent: async (world, { subject }) => {
    const gate = await serverClient(world, 'events:write')
    const event = eventAbout(world, subject)
    expectStatus(200, await gate.post('/api/events', { events: [event] }))
    return {
      send: () => gate.post('/api/events/void', { id: event.id, note: `About ${subject}` }),
      refusal: [200, undefined],
    }
  },
}

/** They write no row of a fan. */
const WITHOUT_FAN: Record<string, string> = {
  updateMatch: 'its predictions are settled later, in the background',
  createStreamTicket: 'a ticket is encrypted, not stored',
}

/** A system whose key was used in this hour: a request with it writes no time of its last use. */
async function serverClient(world: World, scope: ServerScope) {
  const key = await world.serverKey([scope])
  const { serverKeys } = world.db.tables
  await world.db.write(tx => tx.update(serverKeys).set({ lastUsedAt: tx.now() }))
  return world.withToken(key)
}

const claimed = async (world: World, fan: Fan) => {
  const rewardId = await world.reward({ pointsRequired: 0 })
  expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
  return rewardId
}

const eventAbout = (world: World, subject: string) => {
  const fan = { provider: world.config.identity.name, subject }
  return eventOf(world, { fan, data: { about: subject } })
}

/** Stops the next unit of work of a database at its start or at its end, until it is released. */
function stopNextWrite(db: Database, at: 'start' | 'end') {
  const [stopped, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { write } = db
  const stop = async () => {
    stopped.resolve()
    await released.promise
  }
  db.write = async work => {
    db.write = write
    if (at === 'start') await stop()
    return db.write(async tx => {
      const result = await work(tx)
      if (at === 'end') await stop()
      return result
    })
  }
  return { stopped: stopped.promise, release: released.resolve }
}

onEachEngine('An erasure', world => {
  const isServer = () => world.db.engine === 'postgres' && world.databaseUrl !== null
  const erase = (fan: Fan) =>
    world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject: fan.subject }))
  /** Whether a unit of work waits for a lock of another one. */
  async function someoneWaits() {
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await runStatement(world.db.read, waiting)).length > 0
  }
  /** Resolves when the work has ended or waits for a lock. */
  async function endsOrWaits(work: Promise<unknown>) {
    let ended = false
    const end = () => {
      ended = true
    }
    work.then(end, end)
    await waitUntil('the work ends or waits for a lock', async () => ended || someoneWaits())
  }

  async function prepare(operationId: string) {
    const fan = await world.fan()
    const userId = await userIdOf(world, fan)
    const racing = await operations[operationId]?.(world, fan)
    if (!racing) throw new Error(`${operationId} has no line`)
    return { fan, userId, ...racing }
  }

  async function expectNothingLeft({ fan, userId }: { fan: Fan; userId: string }, answer: Answer) {
    const rows = await dump(world.db)
    expect(rows.filter(row => row.includes(fan.subject))).toEqual([])
    expect(await planErasure(world.db.read, { id: userId })).toEqual({
      userId,
      erasedAt: expect.any(String),
      profile: [],
      identity: [],
      devices: 0,
      redemptionCodes: 0,
      grantNotes: 0,
      eventData: 0,
      deferredSyncs: 0,
    })
    const code = answer.body?.reward?.redemptionCode
    if (!code) return
    const desk = await serverClient(world, 'redemptions:write')
    expect((await desk.post(`/api/redemptions/${code}/use`)).body.code).toBe('redemption_not_found')
  }

  test('is raced with every operation that writes', async () => {
    const writing = operationsOf(await fetchDocument(world)).filter(({ method }) => method !== 'GET')
    const known = [...Object.keys(operations), ...Object.keys(WITHOUT_FAN)]
    expect(writing.map(({ operation }) => operation.operationId).toSorted()).toEqual(known.toSorted())
  })

  describe.each(Object.keys(operations))('and %s', operationId => {
    test('that was authenticated before it: the operation is refused', async () => {
      const racing = await prepare(operationId)
      const operation = stopNextWrite(world.db, 'start')
      const answering = racing.send()
      await operation.stopped
      await erase(racing.fan)
      operation.release()
      const { status, body } = await answering
      expect([status, body?.code]).toEqual(racing.refusal ?? [401, 'invalid_token'])
      await expectNothingLeft(racing, await answering)
    })

    test('that begins before it is committed: the operation waits, and is refused', async () => {
      const racing = await prepare(operationId)
      const erasure = stopNextWrite(world.db, 'end')
      const erasing = erase(racing.fan)
      await erasure.stopped
      const answering = racing.send()
      // On one connection units of work do not overlap.
      if (isServer()) await endsOrWaits(answering)
      erasure.release()
      const [answer] = await Promise.all([answering, erasing])
      await expectNothingLeft(racing, answer)
    })

    test('that is not committed yet: the erasure waits, and finds what was written', async () => {
      const racing = await prepare(operationId)
      const operation = stopNextWrite(world.db, 'end')
      const answering = racing.send()
      await operation.stopped
      const erasing = erase(racing.fan)
      if (isServer()) await endsOrWaits(erasing)
      operation.release()
      const [answer] = await Promise.all([answering, erasing])
      await expectNothingLeft(racing, answer)
    })
  })
})
