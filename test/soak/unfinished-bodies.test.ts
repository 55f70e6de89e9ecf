/** Fans behind one address are served while others behind it send slow uploads, byte by byte, that never end. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClock } from '../support/clock.ts'
import { sqliteEngine, type TemporaryDatabase } from '../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'

const SECONDS = 6
/** Of fans, a second: every other one is a refresh. */
const FAN_REQUESTS = 20
/** Between the head of a fan's request and its body. Milliseconds. */
const FLIGHT_MS = 150
const MEBIBYTE = 1_048_576

let temporary: TemporaryDatabase
let provider: RunningProvider
let api: RunningApi
let uploads = ''
let strangers: string[] = []
let fans: string[] = []

beforeAll(async () => {
  uploads = mkdtempSync(join(tmpdir(), 'matchday-uploads-'))
  temporary = await sqliteEngine.open(createClock())
  provider = await startProvider({ fans: 40 })
  const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer, UPLOADS: uploads }
  api = await startApi(env)
  const tokens = Array.from({ length: 40 }, (_, n) =>
    provider.idp.issueToken(`fan-${String(n + 1).padStart(4, '0')}`),
  )
  const all = await Promise.all(tokens)
  strangers = all.slice(0, 10)
  fans = all.slice(10)
})
afterAll(async () => {
  await api.stop()
  await provider.stop()
  await temporary.remove()
  rmSync(uploads, { recursive: true })
})

interface Exchange {
  socket: Awaited<ReturnType<typeof Bun.connect>>
  status: number | undefined
  endedAt: number | undefined
}

/** Sends the head and the beginning of a body. */
async function open(path: string, method: string, headers: string[], first = ''): Promise<Exchange> {
  const { hostname, port } = new URL(api.origin)
  const end = () => {
    exchange.endedAt ??= performance.now()
  }
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        exchange.status ??= Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString())?.[1])
        end()
      },
      close: end,
      error: end,
    },
  })
  const exchange: Exchange = { socket, status: undefined, endedAt: undefined }
  socket.write(
    `${[`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n${first}`,
  )
  return exchange
}

const REFRESH = '/api/auth/native-token/refresh'
const json = (body: string) => ['Content-Type: application/json', `Content-Length: ${body.length}`]

/** A request of a fan whose body is under way for a while. Milliseconds from its body to the answer; null if it was not served. */
async function request(n: number): Promise<number | null> {
  const isRefresh = n % 2 === 0
  const body = JSON.stringify(
    isRefresh ? { refreshToken: `mdrt_${'a'.repeat(43)}` } : { bio: 'x'.repeat(280) },
  )
  const exchange = isRefresh
    ? await open(REFRESH, 'POST', json(body))
    : await open('/api/user/profile', 'PATCH', [
        ...json(body),
        `Authorization: Bearer ${fans[n % fans.length]}`,
      ])
  const due = performance.now() + FLIGHT_MS
  await waitUntil('the body is due', () => performance.now() >= due, 10_000, 10)
  exchange.socket.write(body)
  const sentAt = performance.now()
  const endedAt = await waitUntil('the answer', () => exchange.endedAt, 30_000, 2)
  exchange.socket.end()
  // The token of a refresh is unknown, so that the response shows that it was verified.
  return exchange.status === (isRefresh ? 401 : 200) ? endedAt - sentAt : null
}

/** So many uploads at once that stop after four bytes, begun again when they are dropped. */
function beginUploads(count: number): () => void {
  let uploading: Exchange[] = []
  let missing = count
  let n = 0
  const timer = setInterval(() => {
    const ended = uploading.filter(({ endedAt }) => endedAt !== undefined)
    uploading = uploading.filter(({ endedAt }) => endedAt === undefined)
    missing += ended.length
    for (const { socket } of ended) socket.end()
    for (; missing > 0; missing--) {
      const headers = [
        'Content-Type: image/png',
        `Content-Length: ${6 * MEBIBYTE}`,
        `Authorization: Bearer ${strangers[n++ % strangers.length]}`,
      ]
      void open('/api/uploads', 'POST', headers, '1234').then(exchange => uploading.push(exchange))
    }
  }, 100)
  return () => {
    clearInterval(timer)
    for (const { socket } of uploading) socket.end()
  }
}

/** So many bodies a second of which one byte arrives, half of them of refreshes. */
function beginDrips(perSecond: number): () => void {
  const all: Exchange[] = []
  const started = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - started) / 1_000) * perSecond
    for (let n = sent; n < due; n++) {
      const token = `Authorization: Bearer ${strangers[n % strangers.length]}`
      const headers = ['Content-Type: application/json', 'Content-Length: 1000']
      const opened =
        n % 2 === 0
          ? open(REFRESH, 'POST', headers, '{')
          : open('/api/user/profile', 'PATCH', [...headers, token], '{')
      void opened.then(exchange => all.push(exchange))
      sent++
    }
  }, 20)
  return () => {
    clearInterval(timer)
    for (const { socket } of all) socket.end()
  }
}

test.each([
  ['nothing else', () => () => {}],
  ['11 slow uploads', () => beginUploads(11)],
  ['110 slow uploads', () => beginUploads(110)],
  ['1100 slow uploads', () => beginUploads(1_100)],
  ['9 bodies with a byte a second', () => beginDrips(9)],
  ['90 bodies with a byte a second', () => beginDrips(90)],
  ['900 bodies with a byte a second', () => beginDrips(900)],
] as const)(
  'fans are served during %s from their address',
  async (label, begin) => {
    for (const token of fans) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      await fetch(`${api.origin}/api/user/profile`, { method: 'POST', headers, body: '{}' })
    }
    const end = begin()
    const answers: Promise<number | null>[] = []
    const started = performance.now()
    await waitUntil(
      'the time is over',
      () => {
        const elapsed = performance.now() - started
        while (answers.length < (elapsed / 1_000) * FAN_REQUESTS) answers.push(request(answers.length))
        return elapsed >= SECONDS * 1_000
      },
      60_000,
      10,
    )
    const times = await Promise.all(answers)
    end()
    const served = times.filter(ms => ms !== null).toSorted((one, other) => one - other)
    const p99 = served[Math.ceil(served.length * 0.99) - 1] ?? 0
    const part = ((served.length / times.length) * 100).toFixed(1)
    process.stdout.write(`| ${label} | ${part} % of ${times.length} | ${Math.round(p99)} ms |\n`)
    expect(served.length).toBe(times.length)
  },
  60_000,
)
