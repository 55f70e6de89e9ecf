/** uPlot in the colours of the console. A separate chunk, which screens without a chart do not load. */
import uPlot from 'uplot'

export interface Series {
  name: string
  /** One a day; null where it is not known. */
  values: (number | null)[]
}

interface PlotInput {
  days: string[]
  series: Series[]
  kind: 'line' | 'bars'
  /** The last day is not over: it is drawn lighter. */
  isLastOpen: boolean
  /** The name of the day for its figures. */
  nameOf: (day: string) => string
  formatDay: (day: string) => string
  formatAxis: (value: number) => string
  formatValue: (value: number) => string
}

const HEIGHT = 200
/** Space between the labels of days. CSS pixels. */
const DAY_SPACE = 64
/** Number of steps on the axis of values. */
const STEPS = 4
/** Lengths of dashes and gaps. CSS pixels. */
const DASHES = [3, 4]
const LINE_WIDTH = 2
/** Padding at the ends of the axes. */
const PAD = 0.5

/** The current colour of a token, with `light-dark()` resolved, since a canvas does not support variables. */
function colourOf(token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${token})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const transparent = (color: string, alpha: number) =>
  `color-mix(in srgb, ${color} ${Math.round(alpha * 100)}%, transparent)`

/** Draws into `place` and follows its width. Returns a function that removes the plot. */
export function drawPlot(place: HTMLElement, tip: HTMLElement, input: PlotInput): () => void {
  const { days, series, kind, isLastOpen, nameOf, formatDay, formatAxis, formatValue } = input
  const quiet = colourOf('--quiet')
  const line = colourOf('--line')
  const shades = series.map((_, nth) => colourOf(`--series-${nth + 1}`))
  const font = `12px ${getComputedStyle(place).fontFamily}`
  const axis = { stroke: quiet, font, ticks: { show: false } }
  const positions = days.map((_, nth) => nth)
  const last = days.length - 1
  const step = stepOf(Math.max(0, ...series.flatMap(({ values }) => values.map(value => value ?? 0))))
  const top = step.count * step.size
  // Straight lines: a curve would suggest values between the days, and above them.
  const bars = kind === 'bars' ? uPlot.paths.bars?.({ size: [0.62, 28], radius: 0.15 }) : undefined
  const drawn = (isOpen: boolean): uPlot.Series[] =>
    series.map(({ name }, nth) => {
      const stroke = shades[nth] ?? quiet
      const fill = bars
        ? transparent(stroke, isOpen ? 0.45 : 1)
        : transparent(stroke, nth === 0 && !isOpen ? 0.1 : 0)
      return {
        label: name,
        stroke,
        fill,
        width: bars ? 0 : LINE_WIDTH,
        ...(isOpen ? { dash: DASHES } : {}),
        // A single day needs a point, since a line would show nothing.
        points: { show: days.length === 1 },
        ...(bars ? { paths: bars } : {}),
      }
    })
  /** For a line, the open part begins at the previous day. */
  const openFrom = kind === 'bars' ? last : last - 1
  const closed = series.map(({ values }) =>
    values.map((value, nth) => (isLastOpen && nth === last ? null : value)),
  )
  const open = series.map(({ values }) => values.map((value, nth) => (nth >= openFrom ? value : null)))

  const plot = new uPlot(
    {
      width: Math.max(1, place.clientWidth),
      height: HEIGHT,
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: {
        x: { time: false, range: () => [-PAD, Math.max(0, days.length - 1) + PAD] },
        y: { range: () => [0, top] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          grid: { show: false },
          space: DAY_SPACE,
          incrs: [1, 2, 5, 7, 10, 14, 30],
          values: (_, splits) => splits.map(day => formatDay(days[day] ?? '')),
        },
        {
          ...axis,
          size: 48,
          grid: { stroke: line, width: 1 },
          space: 1,
          incrs: [step.size],
          values: (_, splits) => splits.map(formatAxis),
        },
      ],
      series: [{}, ...drawn(false), ...(isLastOpen ? drawn(true) : [])],
      hooks: { setCursor: [showTip] },
    },
    [positions, ...closed, ...(isLastOpen ? open : [])],
    place,
  )

  function showTip({ cursor }: uPlot) {
    const { idx, left: pointer } = cursor
    const day = idx == null ? undefined : days[idx]
    tip.hidden = idx == null || day === undefined || pointer === undefined || pointer < 0
    if (idx == null || day === undefined || tip.hidden) return
    const title = document.createElement('strong')
    title.textContent = nameOf(day)
    const rows = series.map(({ name, values }, nth) => {
      const row = document.createElement('span')
      const swatch = document.createElement('i')
      swatch.className = `swatch series-${nth + 1}`
      const value = document.createElement('b')
      value.textContent = values[idx] == null ? '–' : formatValue(values[idx])
      row.append(swatch, name, value)
      return row
    })
    tip.replaceChildren(title, ...rows)
    const left = plot.valToPos(idx, 'x') + plot.over.offsetLeft
    const isRight = left > place.clientWidth / 2
    tip.style.insetInlineStart = `${isRight ? left - tip.offsetWidth - 12 : left + 12}px`
  }

  const sizes = new ResizeObserver(() => {
    if (place.clientWidth > 0) plot.setSize({ width: place.clientWidth, height: HEIGHT })
  })
  sizes.observe(place)
  return () => {
    sizes.disconnect()
    tip.hidden = true
    plot.destroy()
  }
}

/** Whole steps of 1, 2, 5, 10, 20 … to the highest value or just above it. If all values are zero, up to four. */
function stepOf(max: number): { size: number; count: number } {
  const rough = Math.max(1, max / STEPS)
  const power = 10 ** Math.floor(Math.log10(rough))
  const size = ([1, 2, 5].find(step => step * power >= rough) ?? 10) * power
  return { size, count: max === 0 ? STEPS : Math.ceil(max / size) }
}
