/** Text of files that other programs write: UTF-8, or UTF-16 with a byte order mark. */

/** Byte order marks of UTF-16, which some spreadsheets and editors write. */
const BYTE_ORDERS: [number, number, Bun.Encoding][] = [
  [0xff, 0xfe, 'utf-16le'],
  [0xfe, 0xff, 'utf-16be'],
]

/** Detected by the byte order mark; undefined without a UTF-16 mark. */
export const findByteOrder = (bytes: Uint8Array): Bun.Encoding | undefined =>
  BYTE_ORDERS.find(([one, other]) => bytes[0] === one && bytes[1] === other)?.[2]

/** Without the byte order mark. Null for any other encoding; UTF-16 without a mark is known by its NUL characters. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder(findByteOrder(bytes) ?? 'utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
