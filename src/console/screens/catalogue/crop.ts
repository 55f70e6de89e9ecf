/** A part of a picture with a given ratio of width to height, and its bytes. Coordinates are pixels of the picture. */

export interface Size {
  width: number
  height: number
}

export interface Crop {
  /** Centre of the part. */
  x: number
  y: number
  /** 1: the largest part that has the ratio. */
  zoom: number
}

/** As `MAX_SIDE.catalogue` of the server, which would only make it smaller. */
const MAX_SIDE = 1_600
const QUALITY = 0.92
/** Pictures whose ratio differs by less are not worth a question. */
const TOLERANCE = 0.02

export const wholeOf = ({ width, height }: Size): Crop => ({ x: width / 2, y: height / 2, zoom: 1 })

export const hasRatio = ({ width, height }: Size, ratio: number): boolean =>
  Math.abs(width / height / ratio - 1) < TOLERANCE

/** Width and height of the part. */
export function sizeOf(picture: Size, ratio: number, zoom: number): Size {
  const width = Math.min(picture.width, picture.height * ratio) / zoom
  return { width, height: width / ratio }
}

/** The nearest part that lies within the picture. */
export function within(picture: Size, ratio: number, { x, y, zoom }: Crop): Crop {
  const { width, height } = sizeOf(picture, ratio, zoom)
  const clamp = (at: number, half: number, end: number) => Math.max(half, Math.min(end - half, at))
  return { x: clamp(x, width / 2, picture.width), y: clamp(y, height / 2, picture.height), zoom }
}

/** Draws the part, or the whole picture for null, within the size that is stored. */
export async function drawPart(
  image: CanvasImageSource & Size,
  ratio: number | null,
  crop: Crop,
): Promise<Blob | null> {
  const part = ratio === null ? image : sizeOf(image, ratio, crop.zoom)
  const scale = Math.min(1, MAX_SIDE / Math.max(part.width, part.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(part.width * scale))
  canvas.height = Math.max(1, Math.round(part.height * scale))
  const [left, top] = ratio === null ? [0, 0] : [crop.x - part.width / 2, crop.y - part.height / 2]
  canvas
    .getContext('2d')
    ?.drawImage(image, left, top, part.width, part.height, 0, 0, canvas.width, canvas.height)
  // A browser without WebP writes PNG, which the server takes too.
  return new Promise(resolve => canvas.toBlob(resolve, 'image/webp', QUALITY))
}
