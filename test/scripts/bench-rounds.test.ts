/** The rounds of the bench, with a generator that sends nothing. */
import { expect, test } from 'bun:test'
import { readOptions } from '../../scripts/bench/options.ts'
import { distinctRequests, type Generator, type Plan } from '../../scripts/bench/plan.ts'
import { cpuSecondsOf } from '../../scripts/bench/process.ts'
import { compare } from '../../scripts/bench/rounds.ts'
import type { Subject } from '../../scripts/bench/subjects.ts'

function measuring(generator: Generator, ...parameters: string[]) {
  const options = readOptions(parameters)
  if (options === 'help') throw new Error('unexpected --help')
  return { options, generator, cores: { server: null, generator: null, pinned: false } }
}

/** A generator with a fixed throughput that records the range of request numbers of each load. */
function steady(perSecond: number) {
  const loads: { origin: string; from: number; to: number; seconds: number }[] = []
  const generator: Generator = {
    name: 'none',
    async measure(origin, _plan, { seconds, first = 0 }) {
      const sent = perSecond * seconds
      loads.push({ origin, from: first, to: first + sent, seconds })
      const latency = { p50: 1, p90: 1, p99: 1, max: 1 }
      return { requests: sent, perSecond, failed: 0, latency, sent, generatorCpu: 0 }
    },
  }
  return { loads, generator }
}

const notLinux =
  process.platform === 'linux' ? '' : ' (skipped: CPU time is read from /proc, which only Linux has)'

test.skipIf(notLinux !== '')(
  `CPU time is divided by the time that the requests took, longer than planned${notLinux}`,
  async () => {
    const generator: Generator = {
      name: 'late',
      async measure() {
        const end = performance.now() + 400
        while (performance.now() < end);
        const latency = { p50: 1, p90: 1, p99: 1, max: 1 }
        return { requests: 40, perSecond: 4, failed: 0, latency, sent: 40, generatorCpu: 0 }
      },
    }
    const { rows } = await compare(measuring(generator, '--quick'), [
      { subject: recorder().subject, plan: { tokens: [], requests: [{ method: 'GET', path: '/' }] } },
    ])
    // At most the 400 ms of this process and its other threads, of the ten seconds that 40 requests take.
    expect(rows[0]?.detail?.serverCpu).toBeLessThan(0.2)
    expect(rows[0]?.detail?.perCpuSecond).toBeGreaterThan(20)
  },
)

/** A subject that counts the requests of each start. */
function recorder() {
  const primed: number[] = []
  const subject: Subject = {
    name: 'matchday',
    async start() {
      const number = primed.push(0) - 1
      const server = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch() {
          primed[number] = (primed[number] ?? 0) + 1
          return new Response('ready')
        },
      })
      const stop = () => server.stop(true)
      return { origin: server.url.origin, pid: process.pid, stop }
    },
  }
  return { primed, subject }
}

const claims = (pairs: number): Plan => ({
  tokens: Array.from({ length: pairs / 10 }, (_, at) => `token-${at}`),
  requests: Array.from({ length: 10 }, () => ({ method: 'POST', path: '/' })),
  once: true,
})
/** Makes the lengths coprime: with a common divisor there are fewer pairs. */
const odd = (plan: Plan): Plan => ({ ...plan, tokens: plan.tokens.slice(0, -1) })

test('requests of a `once` plan are never repeated: the server restarts on fresh data with primed tokens', async () => {
  const { loads, generator } = steady(1_000)
  const { primed, subject } = recorder()
  const plan: Plan = { ...odd(claims(10_000)), primePath: '/' }
  const { rows, notes, invalid } = await compare(measuring(generator, '--seconds=2', '--rounds=6'), [
    { subject, plan },
  ])
  expect({ rounds: rows[0]?.rounds.length, notes, invalid }).toMatchObject({ rounds: 6, invalid: undefined })
  expect(notes.join()).not.toContain('not steady')

  for (const { to } of loads) expect(to).toBeLessThanOrEqual(distinctRequests(plan))
  for (const [origin, of] of Map.groupBy(loads, load => load.origin)) {
    expect({ origin, first: of[0]?.from }).toEqual({ origin, first: 0 })
    for (const [at, { from }] of of.entries()) if (at > 0) expect(from).toBe(of[at - 1]?.to ?? -1)
  }
  expect(primed.length).toBeGreaterThan(1)
  expect(new Set(primed)).toEqual(new Set([plan.tokens.length]))
})

test('a warm-up leaves enough requests for a round, and running out makes the result invalid', async () => {
  const enough = steady(1_000)
  const plan = odd(claims(5_000))
  const outcome = await compare(measuring(enough.generator, '--seconds=3', '--rounds=2'), [
    { subject: recorder().subject, plan },
  ])
  expect(outcome.invalid).toBeUndefined()
  expect(outcome.notes.join()).toContain('matchday: its throughput was not steady')

  const scarce = await compare(measuring(steady(1_000).generator, '--seconds=3', '--rounds=1'), [
    { subject: recorder().subject, plan: odd(claims(1_000)) },
  ])
  expect(scarce.invalid).toContain('matchday: ran out of unique requests; increase --fans')
})

test.skipIf(notLinux !== '')(`the CPU time of servers includes their workers${notLinux}`, async () => {
  const worker = 'while (process.cpuUsage().user < 200_000); console.log("spun"); await Bun.stdin.text()'
  const parent = `Bun.spawn([process.execPath, '-e', process.env.WORKER], { stdin: 'pipe', stdout: 'inherit' }); await Bun.stdin.text(); process.exit()`
  const child = Bun.spawn([process.execPath, '-e', parent], {
    env: { ...process.env, WORKER: worker },
    stdin: 'pipe',
    stdout: 'pipe',
  })
  try {
    const [line] = await Array.fromAsync(firstLine(child.stdout))
    expect(line).toContain('spun')
    const [workerPid] = (await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text()).split(' ')
    const ofWorker = cpuSecondsOf(Number(workerPid)) ?? Number.NaN
    expect(ofWorker).toBeGreaterThan(0)
    expect(cpuSecondsOf(child.pid)).toBeGreaterThanOrEqual(ofWorker)
    expect(cpuSecondsOf(child.pid, Number(workerPid))).toBeGreaterThanOrEqual(2 * ofWorker)
    expect(cpuSecondsOf(child.pid, 0)).toBeNull()
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
})

async function* firstLine(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  for await (const chunk of stream) {
    yield new TextDecoder().decode(chunk)
    return
  }
}
