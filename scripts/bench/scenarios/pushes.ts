/**
 * Measures the pushes of a campaign that wait in the queue, sent to a push service on this machine: how many a second, on the one core
 * of the server. Meanwhile events of other fans make single messages, whose age counts from the report of the event, and a third
 * service answers nothing.
 */
import type { JWK } from 'jose'
import type { Engine } from '../databases.ts'
import { prepareEvents, SERVER_KEY, typeOf } from '../event-rules.ts'
import { PROVIDER } from '../issuer.ts'
import { startPaced } from '../load/paced.ts'
import { cpuSecondsOf, outputOf, type Running, root, sessionCpuSeconds, startServer } from '../process.ts'
import { preparePushes, VAPID } from '../pushes.ts'
import { type Bench, median, row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { waitForEnd } from '../wait-for-end.ts'

const MESSAGES = 100_000
/** Fans whose events make a message. */
const SINGLE = 2_000
const SINGLE_EVERY_MS = 20
const REST_MS = 2_000
/** Share of a core that its tasks take at rest, at most. */
const RESTING = 0.1
/** So many times in a row: its tasks pause too. */
const RESTS = 4

interface Sent {
  perSecond: number
  perCpuSecond: number
  /** CPU seconds of the sessions of PostgreSQL. */
  ofDatabase: number
  bare: number
  barePerCpuSecond: number
  p50: number
  p95: number
  requests: number
}

export const pushes: Scenario = {
  name: 'pushes',
  summary: `Sending ${MESSAGES.toLocaleString('en')} queued Web Pushes, with single messages meanwhile and a service that hangs`,
  long: true,
  async run(bench) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of bench.options.engines) {
      const rounds: Sent[] = []
      for (let round = 0; round < bench.options.rounds; round++) rounds.push(await sendOnce(bench, engine))
      const add = (
        name: string,
        unit: 'deliveries/s' | 'ms' | 's',
        read: (sent: Sent) => number,
        ofCpu?: (sent: Sent) => number,
      ) => {
        const detail = ofCpu && { perCpuSecond: median(rounds.map(ofCpu)) }
        all.rows.push(row(`${engine}, ${name}`, unit, rounds.map(read), detail))
      }
      const ofCpu = ({ perCpuSecond }: Sent) => perCpuSecond
      const bareOfCpu = ({ barePerCpuSecond }: Sent) => barePerCpuSecond
      add('pushes', 'deliveries/s', ({ perSecond }) => perSecond, ofCpu)
      add('pushes per CPU second', 'deliveries/s', ofCpu)
      if (engine === 'postgres') add('CPU time of the database', 's', ({ ofDatabase }) => ofDatabase)
      add('bare pushes', 'deliveries/s', ({ bare }) => bare, bareOfCpu)
      add('bare pushes per CPU second', 'deliveries/s', bareOfCpu)
      add('single, p50', 'ms', ({ p50 }) => p50)
      add('single, p95', 'ms', ({ p95 }) => p95)
      add('requests meanwhile, p99', 'ms', ({ requests }) => requests)
    }
    return all
  },
}

async function sendOnce(bench: Bench, engine: Engine): Promise<Sent> {
  const { subjects, options, databases, cores } = bench
  const messages = options.quick ? 2_000 : MESSAGES
  const single = options.quick ? 100 : SINGLE
  const serve = (env: Record<string, string> = {}) =>
    startServer([process.execPath, `${root}/scripts/bench/servers/push-service.ts`], {
      core: cores.generator,
      path: '/',
      env,
    })
  const [service, hanging] = [await serve(), await serve({ HANG: '1' })]
  const { url, remove } = await databases.copy(engine, messages + single)
  // Guarantee of the cast: the bench made it.
  const key = JSON.parse(subjects.production(url).NATIVE_TOKEN_KEY ?? '') as JWK
  const services = { origin: service.origin, hanging: hanging.origin }
  const prepared = await preparePushes(url, services, { key, single })
  await prepareEvents(url, { types: 0 })
  const env = { NODE_ENV: 'test', PUSH_CREDENTIALS: JSON.stringify({ vapid: VAPID }) }
  const running = await subjects.matchdayOn(url, env)
  try {
    const databaseBefore = engine === 'postgres' ? sessionCpuSeconds(url) : 0
    const sent = await measure(running, service, prepared)
    const ofDatabase = engine === 'postgres' ? sessionCpuSeconds(url) - databaseBefore : 0
    return { ...sent, ofDatabase, ...(await bareRate(service, messages / 4, cores.server)) }
  } finally {
    await running.stop()
    await prepared.close()
    await Promise.all([service.stop(), hanging.stop()])
    await remove()
  }
}

type Prepared = Awaited<ReturnType<typeof preparePushes>>

async function measure(
  running: Running,
  service: Running,
  { queued, singles, release }: Prepared,
): Promise<Omit<Sent, 'ofDatabase' | 'bare' | 'barePerCpuSecond'>> {
  const warm = singles.length / 4
  const report = (first: number, max: number) => {
    const sentAt: { path: string; at: number }[] = []
    function* events() {
      for (const { subject, path } of singles.slice(first, first + max)) {
        sentAt.push({ path, at: Date.now() })
        yield { method: 'POST' as const, path: '/api/events', token: SERVER_KEY, body: eventOf(subject) }
      }
    }
    const paced = startPaced(running.origin, events(), { everyMs: SINGLE_EVERY_MS, max })
    return { sentAt, paced }
  }
  const read = async (paths: string[] = []) => {
    const response = await fetch(`${service.origin}/?paths=${paths.join()}`)
    // Guarantee of the cast: the service of the bench answers so.
    return (await response.json()) as {
      received: number
      first: number
      last: number
      times: (number | null)[]
    }
  }
  // They wait with the others, and prepare the statements.
  const first = report(0, warm)
  await first.paced.sent
  await first.paced.stop()
  await waitForRest(running.pid)
  const cpuBefore = cpuSecondsOf(running.pid) ?? Number.NaN
  await release()
  const problem = 'no more pushes are sent'
  await waitForEnd({
    problem,
    everyMs: 20,
    async progress() {
      const { received } = await read()
      return received > warm ? null : received
    },
  })
  const meanwhile = report(warm, singles.length - warm)
  const all = queued + warm
  let stopped: Awaited<ReturnType<typeof meanwhile.paced.stop>> | undefined
  await waitForEnd({
    problem,
    everyMs: 20,
    async progress() {
      const { received } = await read()
      if (received < all) return received
      stopped ??= await meanwhile.paced.stop()
      return received >= queued + warm + meanwhile.sentAt.length ? null : received
    },
  })
  const cpuSeconds = (cpuSecondsOf(running.pid) ?? Number.NaN) - cpuBefore
  const { first: begin, last, received, times } = await read(meanwhile.sentAt.map(({ path }) => path))
  if (!stopped || stopped.failed > 0) throw new Error(`${stopped?.failed} events failed`)
  const ages = times.flatMap((at, nth) => (at === null ? [] : at - (meanwhile.sentAt[nth]?.at ?? at)))
  const sorted = ages.toSorted((a, b) => a - b)
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return {
    perSecond: received / ((last - begin) / 1_000),
    perCpuSecond: received / cpuSeconds,
    p50: quantile(0.5),
    p95: quantile(0.95),
    requests: stopped.p99,
  }
}

/** After its start a server works through fans who are new to it: longer than it sends, if they are many. */
async function waitForRest(pid: number): Promise<void> {
  let before = Number.NaN
  let rests = 0
  await waitForEnd({
    problem: 'the server has no rest',
    everyMs: REST_MS,
    async progress() {
      const cpuSeconds = cpuSecondsOf(pid) ?? 0
      const share = (cpuSeconds - before) / (REST_MS / 1_000)
      before = cpuSeconds
      rests = share < RESTING ? rests + 1 : 0
      return rests === RESTS ? null : cpuSeconds
    },
  })
}

const eventOf = (subject: string) =>
  JSON.stringify({
    events: [
      {
        id: crypto.randomUUID(),
        type: typeOf(0),
        fan: { provider: PROVIDER, subject },
        occurredAt: new Date().toISOString(),
        data: {},
      },
    ],
  })

async function bareRate(service: Running, count: number, core: number | null) {
  const env = { COUNT: String(count), PUSH_SERVICE: service.origin }
  const { output, cpuSeconds } = await outputOf(
    [process.execPath, `${root}/scripts/bench/servers/bare-pushes.ts`],
    {
      core,
      env,
    },
  )
  return { bare: count / Number(output), barePerCpuSecond: count / cpuSeconds }
}
