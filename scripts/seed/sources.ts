/** Time, ids and bytes of a seed: the same seed gives the same rows, byte for byte, on any machine and any day. */
import { en, Faker } from '@faker-js/faker'
import type { Sources } from '../../db/index.ts'

/** When the demonstration season began. */
const SEASON_START = Date.parse('2025-08-01T09:00:00.000Z')

export interface SeedSources extends Sources {
  /** The same: a seed waits for nobody. */
  clock(): Date
  /** What to draw from for everything else of this fan. */
  faker: Faker
  /** Lets the fan's time go on. */
  pass(ms: number): void
}

/** `index` is the fan's: what one fan draws never moves another. */
export function createSeedSources(seed: number, index: number): SeedSources {
  const faker = new Faker({ locale: en })
  faker.seed([seed, index])
  let ms = SEASON_START + faker.number.int({ max: 60 * 86_400_000 })
  const randomBytes = (size: number) =>
    Uint8Array.from({ length: size }, () => faker.number.int({ max: 255 }))
  return {
    faker,
    now: () => new Date(ms),
    clock: () => new Date(ms),
    pass(by) {
      ms += by
    },
    randomBytes,
    newId() {
      // UUIDv7 (RFC 9562 §5.7) of the fan's time.
      const bytes = Buffer.concat([Buffer.alloc(6), randomBytes(10)])
      bytes.writeUIntBE(ms, 0, 6)
      bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
      bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
      const hex = bytes.toString('hex')
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    },
  }
}
