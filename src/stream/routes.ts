import { Elysia } from 'elysia'
import { identify } from '../auth/authenticate.ts'
import { type FanDeps, fans, type Refusal } from '../auth/groups.ts'
import { openTokenOf } from '../auth/open-tokens.ts'
import { DomainError } from '../core/problems.ts'
import { bearerInGroup, tokenOf } from '../http/contract/bearer.ts'
import { describeGroup, withRefusals } from '../http/contract/group.ts'
import { Nothing, operation } from '../http/contract/operation.ts'
import { limitCaller } from '../http/rate-limits/policies.ts'
import { EventStream, exampleStream, StreamQuery, StreamTicket } from './schema.ts'
import type { Streams } from './streams.ts'
import { redeemTicket, type TicketDeps } from './tickets.ts'
import { findTopicErrors, ME, parseTopics, readEtag, type TopicDeps } from './topics.ts'

type StreamRouteDeps = FanDeps & TicketDeps & TopicDeps & { streams: Streams }

const TAG = 'Stream'

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // nginx would wait for more before it passes an event on.
  'X-Accel-Buffering': 'no',
}

const ticketRoutes = (deps: StreamRouteDeps) =>
  fans(deps, { prefix: '/api/stream', tag: TAG }).post(
    '/tickets',
    ({ caller }) => {
      const { ticket, expiresAt } = deps.streamTickets.issue(openTokenOf(caller))
      return { ticket, expiresAt: expiresAt.toISOString() }
    },
    operation({
      id: 'createStreamTicket',
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

/** As the routes of `fans`, but a ticket in the query does in place of a token. */
const callersByTicket = (deps: StreamRouteDeps) =>
  new Elysia({ prefix: '/api/stream', detail: describeGroup('fan', TAG) })
    .decorate('rateLimiter', deps.rateLimiter)
    .use(bearerInGroup())
    .derive(async ({ bearer, request, set }) => {
      const opener = await findOpener(deps, request, bearer)
      limitCaller(deps.rateLimiter, 'caller', opener.token, limits => Object.assign(set.headers, limits))
      if (opener.token.credential.expiresAt <= deps.db.read.now()) throw new DomainError('invalid_token')
      return withRefusals<Refusal>()({ opener })
    })

async function findOpener(deps: StreamRouteDeps, { headers, url }: Request, bearer: string | undefined) {
  const authorization = headers.get('authorization')
  const ticket = authorization === null ? new URL(url).searchParams.get('ticket') : null
  if (ticket !== null) return redeemTicket(deps, ticket)
  const caller = await identify(deps, tokenOf(authorization, bearer))
  return { token: openTokenOf(caller), userId: caller.userId }
}

const openRoute = (deps: StreamRouteDeps) =>
  callersByTicket(deps).get(
    '',
    async ({ opener, query, request, server }) => {
      const topics = parseTopics(query.topics) ?? []
      const followed = topics.filter(topic => topic !== ME)
      const etags = await Promise.all(
        followed.map(async topic => [topic, await readEtag(deps, topic)] as const),
      )
      // A HEAD request reads no body: its stream would stay open.
      if (request.method === 'HEAD') return eventStream(null)
      const body = deps.streams.open({
        ...opener,
        me: topics.includes(ME),
        topics: new Map(etags),
        lastEventId: readLastEventId(request.headers, query.lastEventId),
        onUnreadEnd: () => server?.timeout(request, 1),
      })
      return eventStream(body)
    },
    operation({
      id: 'openStream',
      summary: 'Open a stream of events',
      description:
        'Server-sent events until the token expires or is logged out: your own events, resumed by `Last-Event-ID` within 24 hours, and changes of public responses.',
      data: 'write',
      query: StreamQuery,
      findErrors: ({ query }) => findTopicErrors(query.topics),
      responses: { 200: EventStream },
      problems: [...readEtag.problems, 'too_many_streams'],
      examples: { 200: exampleStream },
    }),
  )

/** Guarantee of the cast: the type is of the text that arrives; `responses.ts` sends a Response as it is. */
const eventStream = (body: ReadableStream<Uint8Array> | null) =>
  new Response(body, { headers: HEADERS }) as unknown as string

/** Null if there is none, or if it is not one of ours: the client gets `reset`. */
function readLastEventId(headers: Headers, fromQuery: string | undefined): number | null {
  const text = headers.get('last-event-id') ?? fromQuery
  return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : null
}

export const streamRoutes = (deps: StreamRouteDeps) =>
  new Elysia({ name: 'matchday/stream-routes' }).use(ticketRoutes(deps)).use(openRoute(deps))
