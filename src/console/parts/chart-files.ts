/** Files of a chart: its table as CSV, and its picture as PNG in the colours that are shown. */

import { fileNameOf, harmless, saveCsv, saveFile } from '../save-file.ts'

type Cell = string | number | null

const written = (cell: Cell) => (typeof cell === 'string' ? harmless(cell) : String(cell ?? ''))

export const saveChartTable = (label: string, columns: string[], rows: Cell[][]): void =>
  saveCsv(
    label,
    [columns, ...rows].map(row => row.map(written)),
  )

const [PAD, HEAD] = [16, 56]
/** Pixels for each CSS pixel. */
const SCALE = 2
/** Presentation of SVG that comes from the style sheet. */
const STYLES =
  'fill stroke stroke-width stroke-dasharray stroke-linejoin paint-order font text-anchor opacity'.split(' ')

/** The canvas or SVG of a figure, with its name and legend above it. */
export async function savePng(
  figure: HTMLElement,
  { label, legend }: { label: string; legend: string[] },
): Promise<void> {
  const drawn = figure.querySelector<HTMLCanvasElement | SVGSVGElement>('canvas, svg.drawing')
  if (!drawn) return
  const { width, height } = drawn.getBoundingClientRect()
  const picture = drawn instanceof SVGSVGElement ? await pictureOf(drawn, width, height) : drawn
  const canvas = document.createElement('canvas')
  canvas.width = (width + 2 * PAD) * SCALE
  canvas.height = (height + HEAD + PAD) * SCALE
  const context = canvas.getContext('2d')
  if (!context) return
  context.scale(SCALE, SCALE)
  const { color, fontFamily } = getComputedStyle(figure)
  context.fillStyle = getComputedStyle(figure.closest('.section') ?? document.body).backgroundColor
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = color
  context.font = `600 14px ${fontFamily}`
  context.fillText(label, PAD, 24)
  context.font = `12px ${fontFamily}`
  const swatches = figure.querySelectorAll('.legend .swatch')
  let left = PAD
  for (const [nth, name] of legend.entries()) {
    const swatch = swatches[nth]
    if (swatch) context.fillStyle = getComputedStyle(swatch).backgroundColor
    context.fillRect(left, 36, 10, 10)
    context.fillStyle = color
    context.fillText(name, left + 15, 45)
    left += 30 + context.measureText(name).width
  }
  context.drawImage(picture, PAD, HEAD, width, height)
  canvas.toBlob(blob => blob && saveFile(blob, `${fileNameOf(label)}.png`), 'image/png')
}

/** An image does not see the style sheet: its copy has the computed styles. */
async function pictureOf(svg: SVGSVGElement, width: number, height: number): Promise<HTMLImageElement> {
  // Guarantee of the cast: a clone is of the same kind.
  const copy = svg.cloneNode(true) as SVGSVGElement
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  const copies = copy.querySelectorAll<SVGElement>('*')
  for (const [nth, element] of svg.querySelectorAll('*').entries()) {
    const computed = getComputedStyle(element)
    for (const name of STYLES) copies[nth]?.style.setProperty(name, computed.getPropertyValue(name))
  }
  const image = new Image()
  const text = new XMLSerializer().serializeToString(copy)
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  return image
}
