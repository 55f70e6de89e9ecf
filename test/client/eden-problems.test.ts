/** The typed client turns failures outside of the API into problems. */
import { afterEach, expect, test } from 'bun:test'
import { createClient, type ProblemCode, type ProblemOf } from '../../src/app/eden.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

const opened: { stop(force?: boolean): unknown }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.stop(true)
})

/** A client of something that answers every request like this. */
function clientOf(answer: (request: Request) => Response | Promise<Response>) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  opened.push(server)
  return createClient(`http://127.0.0.1:${server.port}`).api
}

/** The members of every problem. */
const problem = (code: ProblemCode, status: number) => ({
  type: `urn:matchday:problem:${code}`,
  title: expect.stringMatching(/\w/),
  status,
  code,
  detail: expect.stringMatching(/\w/),
  requestId: expect.any(String),
})

test('a closed port is the problem network_error, for reads and writes', async () => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  await server.stop(true)
  const { api } = createClient(`http://127.0.0.1:${server.port}`)
  for (const { data, error } of [await api.teams.get(), await api.rewards.claim.post({ rewardId: 'x' })]) {
    expect(data).toBeNull()
    if (error?.status !== 503) throw new Error('not 503')
    expect<unknown>(error.value).toEqual(problem('network_error', 503))
    // The types promise the members.
    const { code, requestId }: { code: string; requestId: string } = error.value
    expect([code, requestId]).toEqual(['network_error', ''])
  }
})

test('an aborted request, and a response that is cut, are network_error', async () => {
  const api = clientOf(async () => new Promise<Response>(() => {}))
  const aborted = await api.teams.get({ fetch: { signal: AbortSignal.abort() } })
  expect<unknown>(aborted.error?.value).toEqual(problem('network_error', 503))
  const cut = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        socket.end(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"teams":[',
        )
      },
    },
  })
  opened.push(cut)
  const { error } = await createClient(`http://127.0.0.1:${cut.port}`).api.teams.get()
  expect<unknown>(error?.value).toEqual(problem('network_error', 503))
})

const HTML = { 'content-type': 'text/html; charset=utf-8', 'x-request-id': 'proxy-1' }
test.each([
  ['the HTML error of a proxy', 502, '<h1>Bad gateway</h1>', HTML],
  ['an HTML page in place of the API', 200, '<h1>Sign in to this Wi-Fi</h1>', HTML],
  ['JSON of another server', 404, '{"message":"no such route"}', { 'content-type': 'application/json' }],
  ['a problem of another server', 404, '{"title":"x"}', { 'content-type': 'application/problem+json' }],
  ['text that calls itself JSON', 200, 'oops', { 'content-type': 'application/json' }],
  ['an empty response', 503, '', {}],
])('%s is the problem unexpected_response', async (_, status, body, headers) => {
  const { data, error } = await clientOf(() => new Response(body, { status, headers })).teams.get()
  expect(data).toBeNull()
  if (error?.status !== 502) throw new Error('not 502')
  expect<unknown>(error.value).toEqual(problem('unexpected_response', 502))
  expect(error.value.detail).toContain(String(status))
  expect(error.value.requestId).toBe('x-request-id' in headers ? 'proxy-1' : '')
})

test('a stream of events is not read ahead', async () => {
  const event = new TextEncoder().encode('event: reset\ndata: {}\n\n')
  const body = new ReadableStream<Uint8Array>({ start: stream => stream.enqueue(event) })
  const headers = { 'content-type': 'text/event-stream' }
  const { response } = await clientOf(() => new Response(body, { headers })).stream.get({
    query: { topics: 'me' },
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
})

test('the headers of what came stay, such as Retry-After', async () => {
  const headers = { ...HTML, 'retry-after': '7' }
  const { response } = await clientOf(() => new Response('<p>Busy</p>', { status: 503, headers })).teams.get()
  expect(response.headers.get('retry-after')).toBe('7')
})

test('the codes of the client are codes of problems', () => {
  const value: ProblemOf<'network_error' | 'handle_taken'>['code'] = 'network_error'
  expect<ProblemCode>(value).toBe('network_error')
})

onEngine(sqliteEngine, 'The client of the API', world => {
  test('leaves successes, problems, 204 and 304 as they are', async () => {
    const { token } = await world.fan()
    const api = clientOf(request => world.app.handle(request))
    const headers = { authorization: `Bearer ${token}` }
    const teams = await api.teams.get()
    expect(teams.data).toEqual({ teams: [] })
    const again = { 'if-none-match': teams.response.headers.get('etag') ?? '' }
    expect((await api.teams.get({ headers: again })).status).toBe(304)
    const refused = await api.rewards.claim.post({ rewardId: 'none' }, { headers })
    expect<unknown>(refused.error?.value).toMatchObject(problem('reward_not_found', 404))
    const joined = await api.user['leaderboard-membership'].put({}, { headers })
    expect([joined.status, joined.error]).toEqual([204, null])
  })
})
