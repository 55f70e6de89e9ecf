import { Elysia } from 'elysia'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { identify } from '../../identity/auth/authenticate.ts'
import { type FanDeps, fans, type Refusal } from '../../identity/auth/groups.ts'
import { streamTokenOf } from '../../identity/auth/stream-tokens.ts'
import type { NetworkConfig } from '../../platform/config/network.ts'
import { bearerInGroup, tokenOf } from '../../platform/http/contract/bearer.ts'
import { describeGroup, withRefusals } from '../../platform/http/contract/group.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { addressGroup, clientAddress } from '../../platform/http/edge/client-address.ts'
import { limitCaller } from '../../platform/http/rate-limits/policies.ts'
import { thrownBy } from './problems.generated.ts'
import { EventStream, exampleStream, StreamQuery, StreamTicket } from './schema.ts'
import type { Streams } from './streams.ts'
import { redeemTicket, type TicketDeps } from './tickets.ts'
import { findTopicErrors, ME, parseTopics, readTopic, type TopicDeps } from './topics.ts'

type StreamRouteDeps = FanDeps &
  TicketDeps &
  TopicDeps & { streams: Streams; config: { network: NetworkConfig } }

const TAG = 'Stream'

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // Otherwise nginx would buffer events.
  'X-Accel-Buffering': 'no',
}

const ticketRoutes = (deps: StreamRouteDeps) =>
  fans(deps, { prefix: '/api/stream', tag: TAG }).post(
    '/tickets',
    ({ caller }) => {
      const { ticket, expiresAt } = deps.streamTickets.issue(streamTokenOf(caller))
      return { ticket, expiresAt: expiresAt.toISOString() }
    },
    operation({
      id: 'createStreamTicket',
      whenSuspended: 'allowed',
      summary: 'Get a ticket for EventSource',
      description:
        'Browsers’ `EventSource` cannot send a token. The ticket opens one stream within 30 seconds; get another one to reconnect.',
      data: 'none',
      idempotencyKey: 'none',
      body: Nothing,
      responses: { 200: StreamTicket },
      examples: { 200: { ticket: 'Zm9y…', expiresAt: '2026-08-15T18:30:30.000Z' } },
    }),
  )

/** Like the routes of `optionalFans`, but a ticket in the query can replace the token. */
const callersByTicket = (deps: StreamRouteDeps) =>
  new Elysia({ prefix: '/api/stream', detail: describeGroup('optional', TAG) })
    .decorate('rateLimiter', deps.rateLimiter)
    .use(bearerInGroup())
    .derive(async ({ bearer, request, set }) => {
      const opener = await findOpener(deps, request, bearer)
      if (opener === null) return withRefusals<Refusal>()({ opener })
      limitCaller(deps.rateLimiter, 'caller', opener.token, limits => Object.assign(set.headers, limits))
      if (opener.token.credential.expiresAt <= deps.db.read.now())
        throw new DomainError(transportProblems.invalid_token)
      return withRefusals<Refusal>()({ opener })
    })

/** Null without a token and a ticket. */
async function findOpener(deps: StreamRouteDeps, { headers, url }: Request, bearer: string | undefined) {
  const authorization = headers.get('authorization')
  const ticket = authorization === null ? new URL(url).searchParams.get('ticket') : null
  if (ticket !== null) return redeemTicket(deps, ticket)
  if (authorization === null) return null
  const caller = await identify(deps, tokenOf(authorization, bearer))
  return { token: streamTokenOf(caller), userId: caller.userId }
}

const openRoute = (deps: StreamRouteDeps) =>
  callersByTicket(deps).get(
    '',
    async ({ opener, query, request, server }) => {
      const topics = parseTopics(query.topics) ?? []
      if (topics.includes(ME) && opener === null) throw new DomainError(transportProblems.unauthenticated)
      const followed = topics.filter(topic => topic !== ME)
      const states = await Promise.all(
        followed.map(async topic => [topic, await readTopic(deps, topic)] as const),
      )
      // A HEAD request reads no body: its stream would stay open.
      if (request.method === 'HEAD') return eventStream(null)
      const body = deps.streams.open({
        opener: opener ?? { address: addressOf(deps, request, server) },
        me: topics.includes(ME),
        topics: new Map(states),
        lastEventId: readLastEventId(request.headers, query.lastEventId),
        request,
        server,
      })
      return eventStream(body)
    },
    operation({
      id: 'openStream',
      summary: 'Open a stream of events',
      description:
        'Server-sent events. With a token: your own events, until the token expires or is revoked; `Last-Event-ID` resumes them within 24 hours. With or without a token: changes of public responses.',
      data: 'write',
      query: StreamQuery,
      findErrors: ({ query }) => findTopicErrors(query.topics),
      responses: { 200: EventStream },
      problems: thrownBy.openStream,
      examples: { 200: exampleStream },
    }),
  )

const addressOf = (
  { config: { network } }: StreamRouteDeps,
  request: Request,
  server: { requestIP(request: Request): { address: string } | null } | null,
) => addressGroup(clientAddress(request.headers, server?.requestIP(request)?.address, network))

/**
 * Guarantee of the cast: the type describes the text that is sent; `responses.ts` sends a Response unchanged.
 */
const eventStream = (body: ReadableStream<Uint8Array> | null) =>
  new Response(body, { headers: HEADERS }) as unknown as string

/** Null if there is none, or if it is not one of ours: the client gets `reset`. */
function readLastEventId(headers: Headers, fromQuery: string | undefined): number | null {
  const text = headers.get('last-event-id') ?? fromQuery
  return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : null
}

export const streamRoutes = (deps: StreamRouteDeps) =>
  new Elysia({ name: 'matchday/stream-routes' }).use(ticketRoutes(deps)).use(openRoute(deps))
