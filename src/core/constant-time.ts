import { timingSafeEqual } from 'node:crypto'

/** Compares two secrets, such as signatures, in a time that depends on their lengths only. */
export function isSameSecret(given: string | Uint8Array, expected: string | Uint8Array): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
