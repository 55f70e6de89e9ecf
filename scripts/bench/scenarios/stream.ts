/** Measures the memory and CPU time of an open stream, and how soon a change reaches all streams that follow it. */
import { subjectOf, topFan } from '../data.ts'
import type { Engine } from '../databases.ts'
import { openStreams, percentiles } from '../load/bun-generators.ts'
import { primeTokens } from '../prime-tokens.ts'
import { cpuSecondsOf, halfClosed, type Running, residentMb } from '../process.ts'
import { closeFirst, prepareQuestions, votePlan } from '../questions.ts'
import { type Bench, type Row, row, type Scenario, type ScenarioResult, skipped } from '../scenario.ts'

const IDLE = 10_000
const MANY_IDLE = 50_000
const FOLLOWERS = 5_000
/** Of a question in which fans vote. */
const QUESTION_FOLLOWERS = 10_000
/** At most; a server refuses more than ten. */
const STREAMS_OF_FAN = 3
/** Time after which the requests and garbage of the opening are gone. */
const SETTLE_MS = 3_000
const IDLE_MS = 5_000
/** Between two reads while votes are sent. */
const READ_EVERY_MS = 10
/** A topic sends a change at most once a second. */
const BETWEEN_CHANGES_MS = 1_500

export const stream: Scenario = {
  name: 'stream',
  summary: `GET /api/stream: ${IDLE} idle streams of distinct fans, a change that ${FOLLOWERS} streams follow, and votes that ${QUESTION_FOLLOWERS} follow`,
  async run(bench) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of bench.options.engines) {
      const rows = [
        await measureIdle(bench, engine, IDLE),
        await measureChanges(bench, engine),
        await measureVotes(bench, engine),
      ].flat()
      if (rows.length === 0) return skipped('requires /proc')
      all.rows.push(...rows)
    }
    return all
  },
}

export const idleStreams: Scenario = {
  name: 'idle-streams',
  summary: `GET /api/stream: ${MANY_IDLE} idle streams, for which the limit of open files must be higher`,
  long: true,
  async run(bench) {
    const rows: Row[] = []
    for (const engine of bench.options.engines) rows.push(...(await measureIdle(bench, engine, MANY_IDLE)))
    return rows.length === 0 ? skipped('requires /proc') : { rows, notes: [], separateRows: true }
  },
}

/** `--quick` opens a tenth. */
const scaled = (count: number, { options }: Bench) => (options.quick ? count / 10 : count)

/** As `--fans`, or as many as this number of streams needs. */
const fansFor = (streams: number, { options }: Bench) =>
  Math.max(options.fans, Math.ceil(streams / STREAMS_OF_FAN))

async function onServer<T>(
  bench: Bench,
  engine: Engine,
  fans: number,
  measure: (running: Running) => Promise<T>,
  prepare: (url: string) => Promise<void> = async () => {},
) {
  const limits = { MAX_STREAMS: String(MANY_IDLE) }
  const subject = bench.subjects.on(engine).prepared(prepare, limits)
  const running = await subject.start(fans)
  try {
    return await measure(running)
  } finally {
    await running.stop()
  }
}

async function measureIdle(bench: Bench, engine: Engine, streamCount: number): Promise<Row[]> {
  const { folder, cores, tokensOf } = bench
  const count = scaled(streamCount, bench)
  const fans = fansFor(count, bench)
  const known = tokensOf(fans)
  const tokens = Array.from({ length: count }, (_, index) => known[index % known.length] ?? '')
  return onServer(bench, engine, fans, async ({ origin, pid }) => {
    // Any request of a fan caches the token. The number of cached tokens is limited, and they are no part of a stream.
    await primeTokens(origin, known, '/api/user/onboarding')
    // The first streams make the server compile code and allocate memory that it needs only once.
    const first = { origin, tokens: tokens.slice(0, count / 10), topic: 'me' }
    await (await openStreams(first, folder, cores.generator)).close()
    await Bun.sleep(SETTLE_MS)
    const before = residentMb(pid)
    const streams = await openStreams({ origin, tokens, topic: 'me' }, folder, cores.generator)
    await Bun.sleep(SETTLE_MS)
    const after = residentMb(pid)
    const cpuBefore = cpuSecondsOf(pid)
    await Bun.sleep(IDLE_MS)
    const cpuAfter = cpuSecondsOf(pid)
    await streams.close()
    await Bun.sleep(SETTLE_MS)
    const left = halfClosed(origin)
    if (left === null || before === null || after === null || cpuBefore === null || cpuAfter === null)
      return []
    return [
      row(`${engine}, memory of one`, 'KB', [((after - before) * 1024) / count]),
      row(`${engine}, CPU of a core for all`, 'x', [((cpuAfter - cpuBefore) * 1000) / IDLE_MS]),
      row(`${engine}, half closed`, 'sockets', [left]),
    ]
  })
}

async function measureChanges(bench: Bench, engine: Engine): Promise<Row[]> {
  const { folder, cores, tokensOf, issuer, options } = bench
  const count = scaled(FOLLOWERS, bench)
  const fans = fansFor(count * STREAMS_OF_FAN, bench)
  const [token = ''] = issuer.tokens([subjectOf(topFan(fans))])
  return onServer(bench, engine, fans, async ({ origin }) => {
    const tokens = tokensOf(fans).slice(0, count)
    const streams = await openStreams({ origin, tokens, topic: 'leaderboard' }, folder, cores.generator)
    const changes: { p50: number; max: number }[] = []
    for (let round = 0; round < options.rounds; round++) {
      for (const method of ['DELETE', 'PUT']) {
        await Bun.sleep(BETWEEN_CHANGES_MS)
        const url = `${origin}/api/user/leaderboard-membership`
        const response = await fetch(url, { method, headers: { authorization: `Bearer ${token}` } })
        const changedAt = performance.timeOrigin + performance.now()
        if (!response.ok) throw new Error(`${method} of the membership: ${response.status}`)
        const { p50, max } = await streams.change()
        changes.push({ p50: p50 - changedAt, max: max - changedAt })
      }
    }
    await streams.close()
    const label = `${engine}, change to ${count} streams`
    return [
      row(
        `${label}, half of them`,
        'ms',
        changes.map(({ p50 }) => p50),
      ),
      row(
        `${label}, all`,
        'ms',
        changes.map(({ max }) => max),
      ),
    ]
  })
}

/** How soon a vote has reached all streams that follow its question, and how long reads take meanwhile. */
async function measureVotes(bench: Bench, engine: Engine): Promise<Row[]> {
  const { folder, cores, tokensOf, options } = bench
  const count = scaled(QUESTION_FOLLOWERS, bench)
  const fans = fansFor(count * STREAMS_OF_FAN, bench)
  const measure = async ({ origin }: Running) => {
    const tokens = tokensOf(fans)
    const [question] = votePlan(tokens).requests
    const topic = `question:${question?.path.split('/').at(-2)}`
    const streams = await openStreams(
      { origin, tokens: tokens.slice(0, count), topic },
      folder,
      cores.generator,
    )
    const arrived: number[] = []
    const reads: number[] = []
    let isOver = false
    const reading = (async () => {
      while (!isOver) {
        const started = performance.now()
        await (await fetch(`${origin}/api/rewards`)).text()
        reads.push(performance.now() - started)
        await Bun.sleep(READ_EVERY_MS)
      }
    })()
    for (let round = 0; round < options.rounds * 2; round++) {
      await Bun.sleep(BETWEEN_CHANGES_MS)
      const headers = {
        authorization: `Bearer ${tokens[round]}`,
        'content-type': 'application/json',
      }
      const { method, path = '', body = '' } = question ?? {}
      const response = await fetch(origin + path, { ...(method ? { method } : {}), headers, body })
      const votedAt = performance.timeOrigin + performance.now()
      if (!response.ok) throw new Error(`a vote is answered with ${response.status}`)
      arrived.push((await streams.change()).max - votedAt)
    }
    await Bun.sleep(BETWEEN_CHANGES_MS)
    const closedAt = performance.timeOrigin + performance.now()
    await closeFirst(origin)
    const closing = (await streams.change()).max - closedAt
    isOver = true
    await reading
    await streams.close()
    const { p99 } = percentiles(Float64Array.from(reads))
    return [
      row(`${engine}, vote to ${count} streams, all`, 'ms', arrived),
      row(`${engine}, close to ${count} streams, all`, 'ms', [closing]),
      row(`${engine}, reads meanwhile, p99`, 'ms', [p99]),
    ]
  }
  return onServer(bench, engine, fans, measure, prepareQuestions)
}
