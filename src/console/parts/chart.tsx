/** Charts of days. uPlot is loaded with the first chart. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { colours } from '../preferences.ts'
import { ChartFrame } from './chart-frame.tsx'
import { formatCompact, formatCount } from './format.ts'
import type { Series } from './plot.ts'

interface ChartProps {
  /** A description: "Points granted and spent a day". */
  label: string
  /** Calendar days, `2026-11-25`. */
  days: string[]
  /** At most four: the tokens have as many colours. */
  series: Series[]
  kind?: 'line' | 'bars'
  /** False for figures without a sum, such as active fans, who may be the same on several days. */
  total?: boolean
  /** A day that is not over: its figures are marked, so that they do not look like a decrease. */
  openDay?: string
}

/** `25 Nov` of a calendar day, which has no zone. */
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
/** Empty for no day: an axis may reach past the last one. */
export const formatDayLabel = (day: string) =>
  day === '' ? '' : dayFormat.format(new Date(`${day}T00:00:00Z`))

/** A figure by day, drawn on a canvas, with its legend and its numbers as a table. */
export function Chart({ label, days, series, kind = 'line', total = true, openDay }: ChartProps) {
  const nameOf = (day: string) => `${formatDayLabel(day)}${day === openDay ? ', so far' : ''}`
  return (
    <ChartFrame
      label={label}
      legend={series.map(({ name, values }) => ({
        name,
        total: total ? values.reduce<number>((sum, value) => sum + (value ?? 0), 0) : undefined,
      }))}
      columns={['Day', ...series.map(({ name }) => name)]}
      rows={days.map((day, nth) => [nameOf(day), ...series.map(({ values }) => values[nth] ?? null)])}
    >
      <Canvas
        days={days}
        series={series}
        kind={kind}
        nameOf={nameOf}
        isLastOpen={openDay !== undefined && days.at(-1) === openDay}
      />
    </ChartFrame>
  )
}

type CanvasProps = Required<Pick<ChartProps, 'days' | 'series' | 'kind'>> & {
  nameOf: (day: string) => string
  isLastOpen: boolean
}

/** Imports the plot as a separate chunk. */
function Canvas({ days, series, kind, nameOf, isLastOpen }: CanvasProps) {
  const place = useRef<HTMLDivElement>(null)
  const tip = useRef<HTMLDivElement>(null)
  const [failed, setFailed] = useState(false)
  const shade = colours.value
  const written = JSON.stringify([days, series, isLastOpen])
  useEffect(() => {
    const element = place.current
    const tipElement = tip.current
    if (!element || !tipElement) return
    let destroy: (() => void) | null = null
    let isGone = false
    import('./plot.ts').then(
      ({ drawPlot }) => {
        if (isGone) return
        setFailed(false)
        destroy = drawPlot(element, tipElement, {
          days,
          series,
          kind,
          isLastOpen,
          nameOf,
          formatDay: formatDayLabel,
          formatAxis: formatCompact,
          formatValue: formatCount,
        })
      },
      // Offline: the table has the numbers.
      () => setFailed(true),
    )
    return () => {
      isGone = true
      destroy?.()
    }
  }, [written, kind, shade])
  return (
    <div class="plot" aria-hidden="true">
      <div ref={place} class="plot-place" />
      <div ref={tip} class="plot-tip" hidden />
      {failed && <p class="quiet">The chart could not be loaded. Its table has the numbers.</p>}
    </div>
  )
}
