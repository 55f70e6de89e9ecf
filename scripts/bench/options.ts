/** The command line of `bun run bench`. */
import { parseArgs } from 'node:util'
import type { Engine } from './databases.ts'
import { type Algorithm, algorithms } from './issuer.ts'

export interface BenchOptions {
  /** Names of scenarios; empty means all. */
  scenarios: string[]
  rounds: number
  /** Duration of one measurement. */
  seconds: number
  connections: number
  /** Maximum duration of a warm-up in seconds. */
  warmUp: number
  /** Fans in the database. */
  fans: number
  /** Measured one after the other. */
  engines: readonly Engine[]
  /** Events of the scenario `season`. */
  events: number
  /** Engine of the current comparison. */
  engine: Engine
  algorithm: Algorithm
  /** Log level of Matchday. The references do not log. */
  logLevel: string
  pin: boolean
  quick: boolean
  long: boolean
  /** A revision of the repository to compare with; null: the references of each scenario. */
  against: string | null
  /** Minimum ratio to `against`. */
  min: number
  json: string
}

export const usage = (scenarios: { name: string; summary: string }[]) => `\
Measures Matchday and the servers it is compared with, in alternation, on temporary data.

  bun run bench                  all scenarios except the long ones
  bun run bench events webhooks  only these scenarios
  bun run bench --quick          a one-minute check that the bench works; not a measurement
  bun run bench --against v1.0.0 crowd-claims onboarding    two checkouts in alternation

${scenarios.map(({ name, summary }) => `  ${name.padEnd(14)} ${summary}`).join('\n')}

  BENCH_POSTGRES_URL is a server on which databases may be created: with it, all scenarios run on both engines.

  --rounds N         rounds of each measurement; the median counts (5)
  --seconds N        duration of one measurement (4)
  --warm-up N        maximum warm-up in seconds; it ends after four without improvement (30)
  --connections N    concurrent connections, one request at a time each (32)
  --fans N           in the database (20000)
  --engine E         only sqlite or postgres (both with BENCH_POSTGRES_URL, otherwise sqlite)
  --events N         of the scenario season (100000)
  --algorithm A      that signs the tokens: ${algorithms.join(' or ')} (ES256)
  --log-level L      of Matchday (warn: the servers it is compared with log nothing either)
  --no-pin           let the system choose cores; otherwise server and generator have one each
  --quick            one short round on 2,000 fans, without the targets
  --long             with what takes minutes: settlement, jokers, divisions, memberships, loyalty, pushes, reminders, social, idle-streams, sizes, season
  --against REV      compares this checkout with another revision: ratios, and exit code 1 below --min
  --min RATIO        of throughput to that of the revision (0.95)
  --json FILE        where the numbers go (data/bench/<time>.json)
`

/** @throws Error that names the option */
export function readOptions(argv: string[]): BenchOptions | 'help' {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    allowNegative: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      'warm-up': { type: 'string' },
      fans: { type: 'string' },
      engine: { type: 'string' },
      events: { type: 'string' },
      algorithm: { type: 'string' },
      'log-level': { type: 'string' },
      pin: { type: 'boolean', default: true },
      quick: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      json: { type: 'string' },
      against: { type: 'string' },
      min: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { quick, long, pin } = values
  const available: Engine[] = process.env.BENCH_POSTGRES_URL ? ['sqlite', 'postgres'] : ['sqlite']
  const engine = oneOf('--engine', values.engine, ['sqlite', 'postgres'] as const)
  const number = (
    name: 'rounds' | 'seconds' | 'connections' | 'warm-up' | 'fans' | 'events',
    fallback: number,
  ) => count(`--${name}`, values[name] ?? String(fallback))
  const time = new Date().toISOString().replaceAll(':', '-').slice(0, 19)
  return {
    scenarios: positionals,
    rounds: number('rounds', quick ? 1 : 5),
    seconds: number('seconds', quick ? 1 : 4),
    connections: number('connections', quick ? 8 : 32),
    warmUp: number('warm-up', 30),
    fans: number('fans', quick ? 2_000 : 20_000),
    engines: engine === undefined ? available : [engine],
    events: number('events', quick ? 40_000 : 100_000),
    engine: 'sqlite',
    algorithm: oneOf('--algorithm', values.algorithm, algorithms) ?? 'ES256',
    logLevel: oneOf('--log-level', values['log-level'], ['silent', 'error', 'warn', 'info']) ?? 'warn',
    pin,
    quick,
    long,
    against: values.against ?? null,
    min: ratio('--min', values.min ?? '0.95'),
    json: values.json ?? `data/bench/${time}.json`,
  }
}

function count(option: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${option} must be a whole number from 1 on.`)
  return Number(text)
}

function ratio(option: string, text: string): number {
  if (!/^(0|1)(\.\d+)?$/.test(text)) throw new Error(`${option} must be a number such as 0.95.`)
  return Number(text)
}

function oneOf<T extends string>(
  option: string,
  value: string | undefined,
  choices: readonly T[],
): T | undefined {
  if (value === undefined) return undefined
  const chosen = choices.find(choice => choice === value)
  if (!chosen) throw new Error(`${option} must be one of ${choices.join(', ')}.`)
  return chosen
}
