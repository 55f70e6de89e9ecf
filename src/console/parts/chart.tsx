/** Charts of days. uPlot is loaded with the first chart. Each has a table for screen readers, which everybody can show. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { colours } from '../preferences.ts'
import { Button } from './button.tsx'
import { formatCompact, formatCount } from './format.ts'
import type { Series } from './plot.ts'
import { None } from './values.tsx'

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
const formatDayLabel = (day: string) => (day === '' ? '' : dayFormat.format(new Date(`${day}T00:00:00Z`)))

/** A figure by day, drawn on a canvas, with its legend and its numbers as a table. */
export function Chart({ label, days, series, kind = 'line', total = true, openDay }: ChartProps) {
  const nameOf = (day: string) => `${formatDayLabel(day)}${day === openDay ? ', so far' : ''}`
  const [isTable, setTable] = useState(false)
  return (
    <figure class="chart" aria-label={label}>
      <figcaption>
        <ul class="legend">
          {series.map(({ name, values }, nth) => (
            <li key={name}>
              <span class={`swatch series-${nth + 1}`} aria-hidden="true" />
              <span>{name}</span>
              {total && (
                <strong>{formatCount(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))}</strong>
              )}
            </li>
          ))}
        </ul>
        <Button
          kind="quiet"
          small
          pressed={isTable}
          label={`Show as table: ${label}`}
          onClick={() => setTable(!isTable)}
        >
          Table
        </Button>
      </figcaption>
      {!isTable && (
        <Canvas
          days={days}
          series={series}
          kind={kind}
          nameOf={nameOf}
          isLastOpen={openDay !== undefined && days.at(-1) === openDay}
        />
      )}
      {/* Screen readers always have it; the canvas says nothing to them. */}
      <section
        class={isTable ? 'chart-table' : 'unseen'}
        tabIndex={isTable ? 0 : undefined}
        aria-label={`${label}, as a table`}
      >
        <table>
          <caption class="unseen">{label}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {series.map(({ name }) => (
                <th key={name} scope="col" class="end">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, nth) => (
              <tr key={day}>
                <th scope="row">{nameOf(day)}</th>
                {series.map(({ name, values }) => (
                  <td key={name} class="end">
                    {values[nth] == null ? <None why="Not known" /> : formatCount(values[nth])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </figure>
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
