/** How many fans have how much in an account, as a curve, with the fan's own place on it. */
import type { Bands } from '../api.ts'
import { formatInteger, text } from '../lang/lang.ts'

const [WIDTH, HEIGHT, TOP, FOOT] = [320, 120, 22, 4]

/** Fans for each unit of a band, since joined bands are wider. */
const densityOf = ({ from, to, fans }: Bands['bands'][number]) => fans / (to - from + 1)

export function BandCurve({
  bands: { bands, fans },
  total,
  unit,
}: {
  bands: Bands
  total: number
  unit: string
}) {
  const highest = bands.at(-1)?.to ?? 1
  const peak = Math.max(...bands.map(densityOf))
  const x = (value: number) => (Math.min(Math.max(value, 0), highest) / highest) * WIDTH
  const y = (density: number) => HEIGHT - FOOT - (density / peak) * (HEIGHT - FOOT - TOP)
  const points = bands.map(band => [x((band.from + band.to) / 2), y(densityOf(band))] as const)
  const curve = smooth([[0, points[0]?.[1] ?? HEIGHT], ...points, [WIDTH, points.at(-1)?.[1] ?? HEIGHT]])
  const own = bands.find(({ from, to }) => total >= from && total <= to)
  const above = bands.filter(({ from }) => from > total).reduce((sum, band) => sum + band.fans, 0)
  const place = x(total)
  const isEarly = place < WIDTH / 2
  return (
    <figure class="bands">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text.membership.curve} dir="ltr">
        <path class="area" d={`${curve}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
        <path class="line" d={curve} />
        {total > 0 && (
          <>
            <path class="you" d={`M${place.toFixed(1)} ${TOP - 4}V${HEIGHT}`} />
            <text x={isEarly ? place + 5 : place - 5} y="13" text-anchor={isEarly ? 'start' : 'end'}>
              {text.membership.you}
            </text>
          </>
        )}
      </svg>
      <figcaption>
        <span class="scale" dir="ltr" aria-hidden="true">
          <span>0</span>
          <span>{formatInteger(highest)}</span>
        </span>
        {total > 0 && <strong>{text.membership.above(above, fans)}</strong>}
        {own && (
          <span class="quiet">
            {text.membership.band(own.fans, formatInteger(own.from), formatInteger(own.to), unit)}
          </span>
        )}
      </figcaption>
    </figure>
  )
}

/** Through all points, level at each, so that it never swings below zero. */
function smooth(points: (readonly [x: number, y: number])[]): string {
  return points
    .map(([x, y], index) => {
      const before = points[index - 1]
      if (!before) return `M${x.toFixed(1)} ${y.toFixed(1)}`
      const middle = ((before[0] + x) / 2).toFixed(1)
      return `C${middle} ${before[1].toFixed(1)} ${middle} ${y.toFixed(1)} ${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
