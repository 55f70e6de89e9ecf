/** `bun run bench`: measures Matchday's throughput and latency next to bare Bun and raw SQL. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { MAX_TOKENS } from '../../src/platform/identity-provider/verified-token-cache.ts'
import { compareWith, reportAgainst } from './against.ts'
import { checkOut } from './checkout.ts'
import { subjectsOf } from './data.ts'
import { createDatabases } from './databases.ts'
import { startIssuer } from './issuer.ts'
import { chooseGenerator } from './load/bun-generators.ts'
import { describeMachine } from './machine.ts'
import { type BenchOptions, readOptions, usage } from './options.ts'
import { coresFor, killChildren } from './process.ts'
import { reportScenario, reportTargets } from './report.ts'
import { type Bench, type Scenario, type ScenarioResult, skipped } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { createSubjects } from './subjects.ts'
import { evaluateTargets, type Results } from './targets.ts'

const print = (text: string) => void process.stdout.write(text)

function choose({ scenarios: names, against }: BenchOptions): Scenario[] {
  const unknown = names.find(name => !scenarios.some(scenario => scenario.name === name))
  if (unknown)
    throw new Error(
      `Unknown scenario ${unknown}. Scenarios: ${scenarios.map(({ name }) => name).join(', ')}.`,
    )
  const chosen = names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name))
  const comparable = against === null ? chosen : chosen.filter(scenario => scenario.comparable)
  if (comparable.length === 0) throw new Error('None of these scenarios compares two checkouts.')
  return comparable
}

async function createBench(
  options: BenchOptions,
  folder: string,
): Promise<Bench & { close(): Promise<void> }> {
  const issuer = startIssuer(options.algorithm)
  const log = (line: string) => void process.stderr.write(`${line}\n`)
  const checkout = options.against === null ? undefined : await checkOut(options.against, folder)
  const databases = createDatabases(folder, process.env.BENCH_POSTGRES_URL, log)
  const cores = coresFor(options.pin)
  const subjects = await createSubjects({
    ...options,
    core: cores.server,
    folder,
    databases,
    issuer,
    checkout,
  })
  const cache = new Map<string, string[]>()
  const tokensFor = (key: string, subjectsToSign: () => string[]) => {
    const tokens = cache.get(key) ?? issuer.tokens(subjectsToSign())
    cache.set(key, tokens)
    return tokens
  }
  let closing: Promise<void> | undefined
  async function close() {
    await issuer.stop()
    await databases.close()
    await checkout?.remove()
  }
  return {
    options,
    folder,
    cores,
    generator: chooseGenerator(folder),
    issuer,
    databases,
    subjects,
    checkout,
    tokensOf: (fans, count = 20_000) => tokensFor(`${fans} ${count}`, () => subjectsOf(fans, count)),
    uncachedTokens(fans) {
      const subjects = subjectsOf(fans)
      const count = Math.ceil(MAX_TOKENS * 1.25)
      const signed = () =>
        Array.from({ length: count }, (_, index) => subjects[index % subjects.length] ?? '')
      return tokensFor(`unknown ${fans}`, signed)
    },
    newTokens: () =>
      tokensFor('new', () =>
        Array.from({ length: options.quick ? 5_000 : 80_000 }, (_, index) => `new-${index}`),
      ),
    log,
    close: () => (closing ??= close()),
  }
}

/** Reports a failed scenario and keeps the results of the others. */
async function attempt(scenario: Scenario, bench: Bench): Promise<ScenarioResult> {
  try {
    return await scenario.run(bench)
  } catch (error) {
    return { rows: [], notes: [], invalid: error instanceof Error ? error.message : String(error) }
  }
}

/** The exit code after a signal. */
const INTERRUPTED = 130
/** The results are incomplete. */
let isInterrupted = false

async function run(options: BenchOptions): Promise<boolean> {
  const chosen = choose(options)
  const folder = mkdtempSync(join(tmpdir(), 'matchday-bench-'))
  let bench: Awaited<ReturnType<typeof createBench>> | undefined
  async function cleanUp() {
    await bench?.close()
    rmSync(folder, { recursive: true, force: true })
  }
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isInterrupted = true
      killChildren()
      // While another revision is checked out, its command fails now, which ends the bench.
      if (bench) void cleanUp().finally(() => process.exit(INTERRUPTED))
    })
  }
  try {
    bench = await createBench(options, folder)
    return await runScenarios(bench, chosen)
  } finally {
    await cleanUp()
  }
}

async function runScenarios(bench: Bench, chosen: Scenario[]): Promise<boolean> {
  const { options, folder, generator, cores } = bench
  const machine = describeMachine(folder)
  print(
    `Matchday ${machine.commit ?? ''}${machine.uncommitted ? ' with uncommitted changes' : ''} on Bun ${machine.bun}\n`,
  )
  print(
    `${machine.cpu}, ${machine.cores} cores, load ${machine.loadBefore.toFixed(1)} before; SQLite ${machine.sqlite}, ${machine.durability}, on ${machine.fileSystem ?? 'an unknown file system'}\n`,
  )
  print(
    `Load: ${generator.name}, ${options.connections} connections, closed loop; ${cores.pinned ? 'server and load on one core each' : 'no pinned cores'}\n`,
  )
  print(
    `${options.rounds} rounds of ${options.seconds} s in alternation; ${options.fans} fans; ${options.algorithm}; Matchday's log level is ${options.logLevel}\n`,
  )
  print(
    'ratio: throughput of the first row divided by that of this row. by CPU: the same per second of CPU time of the servers; more reliable on a busy machine\n',
  )
  const results: Results = {}
  for (const scenario of chosen) {
    const selected = !scenario.long || options.long || options.scenarios.includes(scenario.name)
    const outcome = selected ? await attempt(scenario, bench) : skipped('takes minutes; run with --long')
    if (isInterrupted) return false
    results[scenario.name] = outcome
    print(reportScenario(scenario, outcome))
  }
  // A quick run has fewer fans, predictions and streams than the targets assume.
  const targets = options.quick || bench.checkout ? [] : evaluateTargets(results)
  if (targets.length > 0) print(reportTargets(targets))
  const comparisons = bench.checkout ? compareWith(results, bench.checkout.commit, options.min) : []
  if (bench.checkout) print(reportAgainst(comparisons, bench.checkout.commit, options.min))
  mkdirSync(dirname(options.json), { recursive: true })
  const report = {
    at: new Date().toISOString(),
    machine,
    generator: generator.name,
    pinned: cores.pinned,
    options,
    results,
    targets,
    comparisons,
  }
  await Bun.write(options.json, `${JSON.stringify(report, null, 2)}\n`)
  print(`\nReport: ${options.json}\n`)
  return Object.values(results).every(({ invalid }) => !invalid) && comparisons.every(({ holds }) => holds)
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') {
    print(usage(scenarios))
    process.exit(0)
  }
  const succeeded = await run(options)
  process.exit(isInterrupted ? INTERRUPTED : succeeded ? 0 : 1)
} catch (error) {
  if (isInterrupted) process.exit(INTERRUPTED)
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(2)
}
