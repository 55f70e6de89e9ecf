/** Runs wrk with one thread; a Lua script builds the requests from files of tokens and templates. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  distinctRequests,
  type Generator,
  type LoadOptions,
  type Measurement,
  type Plan,
  requestParts,
} from '../plan.ts'
import { outputOf } from '../process.ts'

/** Prefix of the line with the results as JSON, written by `done`. */
const RESULT_PREFIX = 'MEASURED '
/** Up to this many distinct requests are built once and kept in memory. */
const MAX_KEPT = 50_000

const REPORT = `
local threads = {}
function setup(thread) table.insert(threads, thread) end
function done(summary, latency)
  local e, sent = summary.errors, 0
  for _, thread in ipairs(threads) do sent = sent + (thread:get("sent") or 0) end
  io.write(string.format('${RESULT_PREFIX}{"requests":%d,"us":%d,"failed":%d,"sent":%d,"p50":%f,"p90":%f,"p99":%f,"max":%f}\\n',
    summary.requests, summary.duration, e.status + e.connect + e.read + e.write + e.timeout, sent,
    latency:percentile(50), latency:percentile(90), latency:percentile(99), latency.max))
end
`

/** Request after request in the order of the plan. */
const sequence = (kept: boolean) => `
sent = 0
local first, tokens, heads, tails, whole = 0, {}, {}, {}, {}
local function lines(path)
  local all = {}
  for line in io.lines(path) do table.insert(all, line) end
  return all
end
local function make(i)
  return heads[i % #heads + 1] .. tokens[i % #tokens + 1] .. tails[i % #tails + 1]
end
function init(args)
  tokens, first = lines(args[1]), tonumber(args[3])
  local parts = lines(args[2])
  for i = 1, #parts, 2 do
    table.insert(heads, (parts[i]:gsub("\\\\r\\\\n", "\\r\\n")))
    table.insert(tails, (parts[i + 1]:gsub("\\\\r\\\\n", "\\r\\n")))
  end
  ${kept ? 'for i = 0, tonumber(args[4]) - 1 do whole[i + 1] = make(i) end' : ''}
end
function request()
  local i = first + sent
  sent = sent + 1
  return ${kept ? 'whole[i % #whole + 1]' : 'make(i)'}
end
`

/** One fixed request: wrk then runs no Lua between requests. */
const fixed = ({ method, body }: Plan['requests'][number], token: string | undefined) => `
wrk.method = ${JSON.stringify(method)}
${body === undefined ? '' : `wrk.body = ${JSON.stringify(body)}\nwrk.headers["Content-Type"] = "application/json"`}
${token === undefined ? '' : `wrk.headers["Authorization"] = "Bearer ${token}"`}
`

export function createWrk(folder: string, version: string): Generator {
  let scripts = 0
  return {
    name: version,
    async measure(
      origin,
      plan,
      { seconds, connections, first = 0, core }: LoadOptions,
    ): Promise<Measurement> {
      const prefix = join(folder, `wrk-${++scripts}`)
      const distinct = distinctRequests(plan)
      const [only] = plan.requests
      const isFixed = distinct === 1 && only !== undefined
      const kept = distinct <= MAX_KEPT
      await writeFile(`${prefix}.lua`, (isFixed ? fixed(only, plan.tokens[0]) : sequence(kept)) + REPORT)
      await writeFile(`${prefix}.tokens`, `${plan.tokens.join('\n')}\n`)
      const host = new URL(origin).host
      const parts = plan.requests.map(request => requestParts(request, host, plan.tokens.length > 0))
      const escaped = parts
        .flatMap(({ head, tail }) => [head, tail])
        .map(text => text.replaceAll('\r\n', '\\r\\n'))
      await writeFile(`${prefix}.requests`, `${escaped.join('\n')}\n`)
      const path = isFixed ? only.path : '/'
      const { output, cpuSeconds } = await outputOf(
        [
          'wrk',
          '-t1',
          `-c${connections}`,
          `-d${seconds}s`,
          '--timeout=10s',
          '-s',
          `${prefix}.lua`,
          origin + path,
          '--',
          `${prefix}.tokens`,
          `${prefix}.requests`,
          String(first % distinct),
          String(distinct),
        ],
        { core },
      )
      const line = output.split('\n').find(text => text.startsWith(RESULT_PREFIX))
      if (!line) throw new Error(`wrk measured nothing: ${output}`)
      const { requests, us, failed, sent, ...latency } = JSON.parse(
        line.slice(RESULT_PREFIX.length),
      ) as Record<'requests' | 'us' | 'failed' | 'sent' | 'p50' | 'p90' | 'p99' | 'max', number>
      const [p50, p90, p99, max] = [latency.p50, latency.p90, latency.p99, latency.max].map(
        value => value / 1000,
      )
      return {
        requests,
        perSecond: requests / (us / 1e6),
        failed,
        sent,
        latency: { p50, p90, p99, max } as Measurement['latency'],
        generatorCpu: cpuSeconds / (us / 1e6),
      }
    },
  }
}
