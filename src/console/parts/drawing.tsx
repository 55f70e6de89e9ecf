/** Charts that uPlot lacks, as SVG in the pixels of their place: bars with names, heat, and a histogram with marks. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { formatCompact, formatCount } from './format.ts'

interface DrawingProps {
  height: number
  children: (width: number) => ComponentChildren
}

/** Drawn again when its place gets another width. The table says the same to screen readers. */
function Drawing({ height, children }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const sizes = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    setWidth(Math.floor(element.clientWidth))
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [])
  return (
    <div ref={place} class="drawing-place" style={{ minHeight: `${height}px` }} aria-hidden="true">
      {width > 0 && (
        <svg
          aria-hidden="true"
          class="drawing"
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
        >
          {children(width)}
        </svg>
      )}
    </div>
  )
}

/** About the width of a letter, to cut names. */
const LETTER = 7.4
const cut = (text: string, width: number) => {
  const letters = Math.max(3, Math.floor(width / LETTER))
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text
}

const BAR = 38

/** Bars with their names above them. `most`: the value of the whole width. */
export const Bars = ({
  of,
  most = Math.max(1, ...of.map(({ value }) => value)),
}: {
  of: { id: string; name: string; value: number; note: string }[]
  most?: number
}) => (
  <Drawing height={of.length * BAR}>
    {width =>
      of.map(({ id, name, value, note }, nth) => (
        <g key={id} transform={`translate(0 ${nth * BAR})`}>
          <text x={0} y={13}>
            {cut(name, width - note.length * LETTER - 16)}
          </text>
          <text x={width} y={13} class="quiet" text-anchor="end">
            {note}
          </text>
          <rect x={0} y={19} width={width} height={10} rx={3} class="drawn-track" />
          <rect
            x={0}
            y={19}
            width={value <= 0 ? 0 : Math.max(2, (width * Math.min(value, most)) / most)}
            height={10}
            rx={3}
            class="drawn-bar"
          />
        </g>
      ))
    }
  </Drawing>
)

const [ROW, HEAT_HEAD] = [26, 20]

interface HeatProps {
  rows: { id: string; name: string; values: (number | null)[] }[]
  /** Names of columns, and every how many of them one is written. */
  columns: string[]
  every?: number
  /** The value of the deepest colour. */
  most: number
  format: (value: number) => string
  /** The column before which a line stands. */
  markBefore?: number
}

/** A row of cells for each name: the deeper the colour, the more. */
export const Heat = ({ rows, columns, every = 1, most, format, markBefore }: HeatProps) => (
  <Drawing height={HEAT_HEAD + rows.length * ROW}>
    {width => {
      const names = Math.min(180, Math.max(108, width * 0.28))
      const cell = (width - names) / Math.max(1, columns.length)
      const left = (nth: number) => names + nth * cell
      // As many labels as fit side by side.
      const written = every * Math.max(1, Math.ceil(44 / (every * cell)))
      return (
        <>
          {columns.map((column, nth) =>
            nth % (every === 1 ? 1 : written) === 0 ? (
              <text
                key={nth}
                x={left(nth) + (every === 1 ? cell / 2 : 0)}
                y={12}
                class="quiet"
                text-anchor={every === 1 ? 'middle' : 'start'}
              >
                {every > 1 || cell > column.length * LETTER + 10 ? column : ''}
              </text>
            ) : null,
          )}
          {rows.map(({ id, name, values }, row) => (
            <g key={id} transform={`translate(0 ${HEAT_HEAD + row * ROW})`}>
              <text x={0} y={16}>
                {cut(name, names - 8)}
              </text>
              {values.map((value, nth) =>
                value === null ? null : (
                  <g key={nth}>
                    <rect
                      x={left(nth)}
                      y={1}
                      width={Math.max(1, cell - 1)}
                      height={ROW - 2}
                      class="drawn-track"
                    />
                    <rect
                      x={left(nth)}
                      y={1}
                      width={Math.max(1, cell - 1)}
                      height={ROW - 2}
                      class="drawn-heat"
                      opacity={most === 0 ? 0 : Math.min(1, value / most)}
                    />
                    {cell >= 34 && (
                      <text x={left(nth) + cell / 2} y={17} text-anchor="middle">
                        {format(value)}
                      </text>
                    )}
                  </g>
                ),
              )}
            </g>
          ))}
          {markBefore !== undefined && (
            <line
              x1={left(markBefore)}
              x2={left(markBefore)}
              y1={HEAT_HEAD - 4}
              y2={HEAT_HEAD + rows.length * ROW}
              class="drawn-mark"
            />
          )}
        </>
      )
    }}
  </Drawing>
)

const [TALL, FOOT, LINE] = [240, 22, 12]
/** Of numbers of marks, so that bars keep half of the height. A number without room is only in the table. */
const MAX_LINES = 8

/** For each mark the line of its number, from the top, so that numbers side by side do not touch. */
function linesOf(places: number[]): number[] {
  const ends: number[] = []
  return places.map((place, nth) => {
    // Letters are bold, and have two pixels around them.
    const half = (String(nth + 1).length * 8.5 + 5) / 2
    const free = ends.findIndex(end => end <= place - half)
    const line = free === -1 ? ends.length : free
    if (line < MAX_LINES) ends[line] = place + half
    return line
  })
}

interface HistogramProps {
  bars: { from: number; to: number | null; value: number }[]
  /** Values at which a line stands, each with its number in the table. */
  marks: { id: string; at: number }[]
}

/** Bars of ranges that grow, side by side, with lines at values. */
export const Histogram = ({ bars, marks }: HistogramProps) => (
  <Drawing height={TALL}>
    {width => {
      const most = Math.max(1, ...bars.map(({ value }) => value))
      const step = width / Math.max(1, bars.length)
      const base = TALL - FOOT
      const placeOf = (value: number) => {
        const nth = bars.findIndex(({ from, to }) => value >= from && (to === null || value < to))
        const bar = bars[nth]
        if (!bar) return width
        const length = (bar.to ?? bar.from * 2) - bar.from
        return (nth + Math.min(1, (value - bar.from) / Math.max(1, length))) * step
      }
      const places = marks.map(({ at }) => placeOf(at))
      const lines = linesOf(places)
      const top = LINE * Math.min(MAX_LINES, Math.max(0, ...lines) + 1)
      // A line for the numbers of bars.
      const tall = (value: number) => ((base - top - LINE - 4) * value) / most
      return (
        <>
          {bars.map(({ from, value }, nth) => (
            <g key={from}>
              <rect
                x={nth * step + 1}
                y={base - tall(value)}
                width={Math.max(1, step - 2)}
                height={tall(value)}
                rx={2}
                class="drawn-bar"
              />
              {(step > 34 || nth % 3 === 0) && (
                <text x={nth * step + 1} y={TALL - 6} class="quiet">
                  {formatCompact(from)}
                </text>
              )}
            </g>
          ))}
          {marks.map(({ id }, nth) => {
            const [x, line = 0] = [places[nth], lines[nth]]
            return (
              <line
                key={id}
                x1={x}
                x2={x}
                y1={Math.min(line + 1, MAX_LINES) * LINE}
                y2={base}
                class="drawn-mark"
              />
            )
          })}
          {marks.map(({ id }, nth) => {
            const [x, line = 0] = [places[nth], lines[nth]]
            return (
              line < MAX_LINES && (
                <text key={id} x={x} y={(line + 1) * LINE - 2} text-anchor="middle" class="drawn-mark-name">
                  {formatCount(nth + 1)}
                </text>
              )
            )
          })}
          {step > 26 &&
            bars.map(
              ({ from, value }, nth) =>
                value > 0 && (
                  <text
                    key={from}
                    x={(nth + 0.5) * step}
                    y={base - tall(value) - 4}
                    class="quiet drawn-bar-value"
                    text-anchor="middle"
                  >
                    {formatCompact(value)}
                  </text>
                ),
            )}
        </>
      )
    }}
  </Drawing>
)
