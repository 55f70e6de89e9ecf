/** uPlot in the colours of the console. A chunk of its own: screens without a chart do not load it. */
import uPlot from 'uplot'
import type { Series } from './chart.tsx'

interface PlotInput {
  days: string[]
  series: Series[]
  kind: 'line' | 'bars'
  formatDay: (day: string) => string
  formatAxis: (value: number) => string
  formatValue: (value: number) => string
}

const HEIGHT = 200
/** Between the labels of an axis. CSS pixels. */
const DAY_SPACE = 64
const VALUE_SPACE = 36
const LINE_WIDTH = 2
/** At the ends of the axes. */
const PAD = 0.5

/** The colour that a token has now, with `light-dark()` resolved: a canvas knows no variables. */
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

/** Draws into `place` and keeps to its width. Returns a function that takes it away. */
export function drawPlot(place: HTMLElement, tip: HTMLElement, input: PlotInput): () => void {
  const { days, series, kind, formatDay, formatAxis, formatValue } = input
  const quiet = colourOf('--quiet')
  const line = colourOf('--line')
  const shades = series.map((_, nth) => colourOf(`--series-${nth + 1}`))
  const font = `12px ${getComputedStyle(place).fontFamily}`
  const axis = { stroke: quiet, font, ticks: { show: false } }
  const positions = days.map((_, nth) => nth)

  const plot = new uPlot(
    {
      width: Math.max(1, place.clientWidth),
      height: HEIGHT,
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: {
        x: { time: false, range: () => [-PAD, Math.max(0, days.length - 1) + PAD] },
        y: { range: (_, __, max) => [0, niceTop(max)] },
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
          space: VALUE_SPACE,
          incrs: wholeSteps(),
          values: (_, splits) => splits.map(formatAxis),
        },
      ],
      series: [
        {},
        ...series.map(({ name }, nth) => {
          const stroke = shades[nth] ?? quiet
          const bars = uPlot.paths.bars?.({ size: [0.62, 28], radius: 0.15 })
          const curve = uPlot.paths.spline?.()
          const paths = kind === 'bars' ? bars : curve
          return {
            label: name,
            stroke,
            width: kind === 'bars' ? 0 : LINE_WIDTH,
            // One day alone is a point: a line would show nothing.
            points: { show: days.length === 1 },
            fill: kind === 'bars' ? stroke : nth === 0 ? transparent(stroke, 0.1) : 'transparent',
            ...(paths ? { paths } : {}),
          }
        }),
      ],
      hooks: { setCursor: [showTip] },
    },
    [positions, ...series.map(({ values }) => values)],
    place,
  )

  function showTip({ cursor }: uPlot) {
    const { idx, left: pointer } = cursor
    const day = idx == null ? undefined : days[idx]
    tip.hidden = idx == null || day === undefined || pointer === undefined || pointer < 0
    if (idx == null || day === undefined || tip.hidden) return
    const title = document.createElement('strong')
    title.textContent = formatDay(day)
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

/** Room above the highest value, and an axis where all is nought. */
const niceTop = (max: number | null) => (max === null || max <= 0 ? 4 : max * 1.12)

/** 1, 2, 5, 10, 20, 50 …: counts have no fractions. */
const wholeSteps = () =>
  Array.from({ length: 13 }, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat()
