/** The text of a server key: `mdk_`, 256 random bits and a CRC-32, both in base 62, so that a double click selects all of it. */
import { hash } from 'node:crypto'

const PREFIX = 'mdk_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The fewest digits that hold 256 bits. */
export const RANDOM_DIGITS = 43
/** The fewest digits that hold 32 bits. */
const CHECKSUM_DIGITS = 6
const FORM = new RegExp(`^${PREFIX}([0-9A-Za-z]{${RANDOM_DIGITS}})([0-9A-Za-z]{${CHECKSUM_DIGITS}})$`)

/** Makes a key from 32 random bytes. */
export const mintServerKey = (random: Uint8Array): string =>
  withChecksum(toBase62(BigInt(`0x${Buffer.from(random).toString('hex')}`), RANDOM_DIGITS))

/** A key of these digits. */
export const withChecksum = (digits: string): string => PREFIX + digits + checksumOf(digits)

export const looksLikeServerKey = (text: string): boolean => text.startsWith(PREFIX)

/** Whether the checksum matches. It detects every wrong character, and every two neighbours that are swapped. */
export function isWellFormed(text: string): boolean {
  const [, digits, checksum] = FORM.exec(text) ?? []
  return digits !== undefined && checksum === checksumOf(digits)
}

/** SHA-256 in hex. Needs no salt, because the key is random. */
export const hashServerKey = (key: string): string => hash('sha256', key, 'hex')

const checksumOf = (digits: string) => toBase62(BigInt(Bun.hash.crc32(digits)), CHECKSUM_DIGITS)

function toBase62(value: bigint, length: number): string {
  let digits = ''
  for (let rest = value; rest > 0n; rest /= 62n) digits = ALPHABET[Number(rest % 62n)] + digits
  return digits.padStart(length, '0')
}
