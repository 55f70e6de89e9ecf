import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const BITS_A_SAMPLE = 8
const TRUE_COLOUR = 2

/** A square PNG. `pixels`: red, green and blue of each pixel, row by row from the top left. */
export function encodePng(pixels: Uint8Array, side: number): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head[8] = BITS_A_SAMPLE
  head[9] = TRUE_COLOUR
  // Each row starts with its filter, which is none.
  const rows = Buffer.alloc(side * (1 + side * 3))
  for (let y = 0; y < side; y++)
    rows.set(pixels.subarray(y * side * 3, (y + 1) * side * 3), y * (1 + side * 3) + 1)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(type), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}
