/** Time, ids and random bytes of a seed: the same seed always gives the same rows. */
import { en, Faker, generateMersenne53Randomizer } from '@faker-js/faker'
import type { Sources } from '../../db/index.ts'

/** When the demonstration season started, and for how long fans join. */
const SEASON_START = Date.parse('2025-08-01T09:00:00.000Z')
const JOINING_MS = 60 * 86_400_000
/** Fans of the first block join at any time. */
const BLOCK_SIZE = 10_000
/** The blocks of a million fans. Later blocks join one after the other, so that their keys are inserted in order. */
const BLOCKS = 100

export interface SeedSources extends Sources {
  /** The same as `now`. */
  clock(): Date
  /** The random source for all other values of this fan. */
  faker: Faker
  /** Advances the fan's time. */
  pass(ms: number): void
}

/**
 * Returns the sources of a fan by index. The draws of one fan do not affect another. The sources share one generator:
 * those of the previous fan are no longer valid.
 */
export function createSeedSources(seed: number): (index: number) => SeedSources {
  const randomizer = generateMersenne53Randomizer()
  const faker = new Faker({ locale: en, randomizer })
  const randomBytes = (size: number) => {
    const bytes = new Uint8Array(size)
    for (let index = 0; index < size; index++) bytes[index] = Math.floor(randomizer.next() * 256)
    return bytes
  }
  return index => {
    faker.seed([seed, index])
    let ms = SEASON_START + drawJoiningDelay(faker, Math.floor(index / BLOCK_SIZE))
    const now = () => new Date(ms)
    return {
      faker,
      now,
      clock: now,
      pass(by) {
        ms += by
      },
      randomBytes,
      newId: () => uuidV7(ms, randomBytes(10)),
    }
  }
}

function drawJoiningDelay({ number }: Faker, block: number): number {
  if (block === 0) return number.int({ max: JOINING_MS })
  const length = JOINING_MS / BLOCKS
  return (block % BLOCKS) * length + number.int({ max: length })
}

/** RFC 9562 §5.7. */
function uuidV7(ms: number, random: Uint8Array): string {
  random[0] = ((random[0] ?? 0) & 0x0f) | 0x70
  random[2] = ((random[2] ?? 0) & 0x3f) | 0x80
  const time = ms.toString(16).padStart(12, '0')
  const rest = random.toHex()
  return `${time.slice(0, 8)}-${time.slice(8)}-${rest.slice(0, 4)}-${rest.slice(4, 8)}-${rest.slice(8)}`
}
