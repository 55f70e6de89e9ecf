/** Fuzzes every operation of the OpenAPI document: no 5xx, no answer that breaks its schema, no prototype touched. */
import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { SERVER_SCOPES, type ServerScope } from '../../src/identity/server-keys/scopes.ts'
import { sign } from '../identity/users/deliveries.ts'
import { type Located, operationsOf, readDocument, requiresServerKey } from '../platform/docs/document.ts'
import { addPack, buy, EUROS, FREE, patientFan, receipt, start } from '../play/packs/packs-world.ts'
import type { Engine } from '../support/engines.ts'
import { type Fan, onEngine, type World } from '../support/world.ts'
import { type FuzzedRequest, type KnownValues, requestsOf } from './requests.ts'

/** `runs` requests to each operation. */
export function fuzzOperations(engine: Engine, runs: number): void {
  onEngine(engine, `every operation, ${runs} fuzzed requests each`, world => {
    let fan: Fan
    /** A fan who is logged out repeatedly. */
    let leaver: Fan
    let known: KnownValues
    let serverKey: string
    beforeAll(async () => {
      fan = await patientFan(world, 1_000)
      leaver = await world.fan()
      known = await prepare(world, fan)
      serverKey = await world.serverKey(Object.keys(SERVER_SCOPES) as ServerScope[])
    })

    test('answers what its documentation says, never a 5xx, and leaves prototypes alone', async () => {
      const document = await readDocument(world)
      const operations = operationsOf(document)
      expect(operations.length).toBeGreaterThan(25)
      const statuses = new Set<number>()
      /** Operations that end a session or an account get one of their own. */
      const tokenFor = async (located: Located) => {
        if (requiresServerKey(located)) return serverKey
        const { operationId } = located.operation
        if (operationId === 'logOut') return freshToken(world, leaver)
        if (operationId === 'deleteAccount') return (await world.fan()).token
        return fan.token
      }
      for (const located of operations) {
        const { name, method } = located
        const send = async (request: FuzzedRequest) => {
          const before = prototypes()
          const token = await tokenFor(located)
          const answer = await world.anonymous
            // The client holds each answer to the document.
            .send(request.target, { method, headers: headersOf(world, request, token), body: request.body })
          statuses.add(answer.status)
          expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBeLessThan(500)
          expect(prototypes()).toEqual(before)
        }
        await fc.assert(fc.asyncProperty(requestsOf(document, located, known), send), { numRuns: runs })
      }
      // Else most requests would fail at the first check. Few requests reach 201 or 409: whether any does is chance.
      expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 404, 422]))
    })
  })
}

/** Creates objects that ids in requests may refer to. */
async function prepare(world: World, fan: Fan): Promise<KnownValues> {
  const free = await addPack(world, { price: FREE })
  const priced = await addPack(world, { price: EUROS, supply: 1_000_000 })
  const pending = (await start(fan, priced)).body.id
  const bought = await buy(fan, free)
  const other = await buy(await patientFan(world), free)
  for (let n = 0; n < 3; n++) await world.grant(fan, 1)
  return {
    packId: [free, priced],
    rewardId: [await world.reward({ pointsRequired: 5 }), await world.reward({ active: false })],
    favoriteTeamId: [await world.team()],
    teamId: [await world.team()],
    matchId: [
      await world.match({ kickoffAt: new Date(world.clock.ms + 3_600_000) }),
      await world.match({ status: 'postponed' }),
    ],
    purchaseId: [pending, bought.id, other.id],
    userPackId: [bought.userPack.id, other.userPack.id],
    paymentReference: [await receipt(fan, pending), await receipt(fan, pending, 'partial')],
    handle: ['fuzz_handle'],
    locale: ['en-GB'],
    country: ['GB'],
    code: [await redeem(world, fan), await redeem(world, fan)],
    avatarUrl: ['https://example.net/a.png'],
    cursor: [(await fan.get('/api/user/points?limit=1')).body.nextCursor],
    type: ['user.updated', 'user.deleted'],
    sub: ['fan-0150', 'nobody'],
    iss: [world.config.identity.issuer],
    timestamp: ['2026-08-15T18:30:00.000Z'],
  }
}

/** A redemption code of the fan. */
async function redeem(world: World, fan: Fan): Promise<string> {
  const rewardId = await world.reward({ pointsRequired: 0 })
  await fan.post('/api/rewards/claim', { rewardId })
  return (await fan.post('/api/rewards/redeem', { rewardId })).body.reward.redemptionCode
}

/** After a logout everywhere, tokens of the same second are refused. */
async function freshToken({ clock, idp }: World, { subject }: Fan): Promise<string> {
  clock.advance(1_000)
  return idp.issueToken(subject)
}

function headersOf(world: World, request: FuzzedRequest, token: string): Record<string, string> {
  const { credential, isSigned, body = '' } = request
  const timestamp = String(Math.floor(world.clock.ms / 1000))
  const secret = world.config.identity.webhookSecret
  return {
    ...request.headers,
    ...(credential ? { authorization: credential === 'valid' ? `Bearer ${token}` : 'Bearer garbage' } : {}),
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': isSigned ? sign(secret, 'msg_1', timestamp, body) : 'v1,AAAA',
  }
}

function prototypes(): PropertyKey[][] {
  return [Object, Array, Function, String, Map, Promise].map(({ prototype }) => Reflect.ownKeys(prototype))
}
