/** Time, ids and random bytes of a seed: the same seed always gives the same rows. */
import { en, Faker, generateMersenne53Randomizer } from '@faker-js/faker'
import type { Sources, Transaction } from '../../db/index.ts'
import { type Calendar, JOINING_MS } from './calendar.ts'

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
  /** Advances it by a random time of at most `most`, and of what is left a part: every action comes before the end. */
  passSome(most: number): void
  /** Milliseconds until the fan's time ends. */
  left(): number
}

/**
 * Returns the sources of a fan by index, from when they join or from `start`. The draws of one fan do not affect another. The sources share one generator:
 * those of the previous fan are no longer valid.
 */
export function createSeedSources(
  seed: number,
  { opened, quiet }: Calendar,
): (index: number, start?: Date) => SeedSources {
  const randomizer = generateMersenne53Randomizer()
  const faker = new Faker({ locale: en, randomizer })
  const randomBytes = (size: number) => {
    const bytes = new Uint8Array(size)
    for (let index = 0; index < size; index++) bytes[index] = Math.floor(randomizer.next() * 256)
    return bytes
  }
  return (index, start) => {
    faker.seed([seed, index])
    let ms = (start ?? opened).getTime()
    if (!start) ms += drawJoiningDelay(faker, Math.floor(index / BLOCK_SIZE))
    const now = () => new Date(ms)
    const left = () => quiet.getTime() - ms
    return {
      faker,
      now,
      clock: now,
      pass(by) {
        ms += by
      },
      passSome(most) {
        const part = Math.floor(left() / 4)
        ms += faker.number.int({ min: 1, max: Math.max(1, Math.min(most, part)) })
      },
      left,
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

/** The unit of work with the time, ids and random bytes of the seed, also for what is recorded at its end. */
export const withSources = (tx: Transaction, { newId, randomBytes, now, clock }: SeedSources): Transaction =>
  Object.assign(tx, { newId, randomBytes, now, clock })
