/** How long commands take that read a whole season, and how that grows with its events. */
import type { Engine } from '../databases.ts'
import { type Bench, type Row, row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { prepareSeason, recordSeason } from '../season.ts'
import { type Timing, timeCommands } from '../season-commands.ts'
import { copySeason } from '../season-copies.ts'
import { readParts } from '../table-sizes.ts'

/** Events of each fan. */
const DAYS = 20
/** Fans whose events are recorded; the others are copies of them. */
const RECORDED_FANS = 200
/** The first season has this part of the events. */
const GROWTH = 5

export const season: Scenario = {
  name: 'season',
  summary: `Seconds of verifications, backup, restore, moves and archive with a fifth of --events events and with all, ${DAYS} of each fan`,
  long: true,
  async run(bench) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of bench.options.engines) {
      const small = await measure(bench, engine, bench.options.events / GROWTH)
      const large = await measure(bench, engine, bench.options.events)
      all.rows.push(...rowsOf(engine, small), ...rowsOf(engine, large))
      all.notes.push(
        `${engine}, growth from ${small.events} events to ${large.events}, in seconds and CPU seconds:`,
        ...growthOf(small, large),
      )
    }
    return all
  },
}

interface Measured {
  events: number
  gigabytes: number
  timings: Timing[]
}

async function measure(bench: Bench, engine: Engine, events: number): Promise<Measured> {
  const { url, remove } = await bench.databases.copy(engine, RECORDED_FANS)
  try {
    const made = await makeSeason(url, events, line => bench.log(`${engine}: ${line}`))
    const gigabytes = (await readParts(url)).reduce((sum, { bytes }) => sum + bytes, 0) / 1e9
    bench.log(`${engine}: ${made} events take ${gigabytes.toFixed(2)} GB`)
    return { events: made, gigabytes, timings: await timeCommands(bench, engine, url) }
  } finally {
    await remove()
  }
}

async function makeSeason(url: string, events: number, log: (line: string) => void): Promise<number> {
  await prepareSeason(url)
  for await (const _ of recordSeason(url, DAYS));
  const copies = Math.max(0, Math.round(events / DAYS / RECORDED_FANS) - 1)
  for await (const copy of copySeason(url, copies))
    if ((copy + 1) % 10 === 0) log(`${(copy + 1) * DAYS * RECORDED_FANS} events`)
  return (copies + 1) * DAYS * RECORDED_FANS
}

const rowsOf = (engine: string, { events, timings }: Measured): Row[] =>
  timings.flatMap(({ name, seconds, stopped, cpu, load }) => [
    row(`${engine}, ${events} events, ${name}`, 's', [seconds], { cpu, load }),
    ...(stopped === undefined ? [] : [row(`${engine}, ${events} events, ${name}, stopped`, 's', [stopped])]),
  ])

function growthOf(small: Measured, large: Measured): string[] {
  const gigabytes = `${small.gigabytes.toFixed(2)} and ${large.gigabytes.toFixed(2)} GB`
  const lines = large.timings.flatMap(({ name, seconds, cpu, stopped }, index) => {
    const before = small.timings[index]
    if (before?.name !== name) return []
    return [
      `${name}: ${compare(before.seconds, seconds)}; CPU ${compare(before.cpu, cpu)}`,
      ...(stopped === undefined ? [] : [`${name}, stopped: ${compare(before.stopped ?? null, stopped)}`]),
    ]
  })
  return [`${gigabytes}; ${compare(small.gigabytes, large.gigabytes)}`, ...lines]
}

const compare = (small: number | null, large: number | null) =>
  small === null || large === null
    ? 'not measured'
    : `${small.toFixed(1)}, ${large.toFixed(1)}, × ${(large / small).toFixed(1)}`
