/** Time, ids and bytes of a seed: the same seed gives the same rows, byte for byte, on any machine and any day. */
import { en, Faker, generateMersenne53Randomizer } from '@faker-js/faker'
import type { Sources } from '../../db/index.ts'

/** When the demonstration season began, and for how long fans join. */
const SEASON_START = Date.parse('2025-08-01T09:00:00.000Z')
const JOINING_MS = 60 * 86_400_000
/** Fans of the first crowd join at any time. */
const CROWD = 10_000
/** All crowds of a million: the next ones join one after the other, as in life, so that their keys come in order too. */
const CROWDS = 100

export interface SeedSources extends Sources {
  /** The same: a seed waits for nobody. */
  clock(): Date
  /** What to draw from for everything else of this fan. */
  faker: Faker
  /** Lets the fan's time go on. */
  pass(ms: number): void
}

/**
 * Sources of one fan after another, by index: what one fan draws never moves another. They share what is costly to
 * make, so the sources of the fan before are spent.
 */
export function createSeedSources(seed: number): (index: number) => SeedSources {
  const randomizer = generateMersenne53Randomizer()
  const faker = new Faker({ locale: en, randomizer })
  const randomBytes = (size: number) => {
    const bytes = new Uint8Array(size)
    for (let at = 0; at < size; at++) bytes[at] = Math.floor(randomizer.next() * 256)
    return bytes
  }
  return index => {
    faker.seed([seed, index])
    let ms = SEASON_START + drawJoiningDelay(faker, Math.floor(index / CROWD))
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

function drawJoiningDelay({ number }: Faker, crowd: number): number {
  if (crowd === 0) return number.int({ max: JOINING_MS })
  const length = JOINING_MS / CROWDS
  return (crowd % CROWDS) * length + number.int({ max: length })
}

/** RFC 9562 §5.7. */
function uuidV7(ms: number, random: Uint8Array): string {
  random[0] = ((random[0] ?? 0) & 0x0f) | 0x70
  random[2] = ((random[2] ?? 0) & 0x3f) | 0x80
  const time = ms.toString(16).padStart(12, '0')
  const rest = random.toHex()
  return `${time.slice(0, 8)}-${time.slice(8)}-${rest.slice(0, 4)}-${rest.slice(4, 8)}-${rest.slice(8)}`
}
