/** Reads the metrics of a world as Prometheus does. */
import type { World } from '../../support/world.ts'

export interface Scrape {
  text: string
  /** The value of a series, written as in the exposition; 0 for one that does not exist yet. */
  value(series: string): number
  /** The values of one label of a metric. */
  labels(metric: string, label: string): string[]
}

export async function scrape({ metricsUrl }: Pick<World, 'metricsUrl'>): Promise<Scrape> {
  const response = await fetch(metricsUrl ?? '')
  if (response.status !== 200) throw new Error(`the metrics answer ${response.status}`)
  const text = await response.text()
  const series = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const values = new Map(
    series.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
  return {
    text,
    value: name => values.get(name) ?? 0,
    labels: (metric, label) => [
      ...new Set(
        [...values.keys()]
          .filter(name => name.startsWith(`${metric}{`))
          .flatMap(name => new RegExp(`[{,]${label}="([^"]*)"`).exec(name)?.[1] ?? []),
      ),
    ],
  }
}
