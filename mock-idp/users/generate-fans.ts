import { base, en, Faker } from '@faker-js/faker'
import { type Origin, origins } from './origins.ts'
import type { Fan } from './user.ts'

const refDate = new Date('2026-01-01T00:00:00.000Z')
const domains = ['example.com', 'example.net', 'example.org'] as const
const moods = 'amber away brave cobalt early golden lucky north scarlet silver'.split(' ')
const roles = 'anthem banner corner drummer keeper libero scarf striker terrace volley'.split(' ')
/** Letters that Unicode does not decompose. */
const latin: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
}

/** As `walkFans`, in a list. */
export const generateFans = (options: { seed: number; count: number }): Fan[] => [...walkFans(options)]

/**
 * The fans of a seed, `fan-0001` first. The same seed always gives the same fans, and a larger count only appends. Keeps only
 * their usernames in memory.
 * @param options.seed any integer
 * @param options.count how many fans, 0 or more
 */
export function* walkFans({ seed, count }: { seed: number; count: number }): Generator<Fan> {
  const fakers = origins.map(({ names }) => new Faker({ locale: [names, en, base] }))
  const random = new Faker({ locale: [en, base] })
  const taken: Taken = { names: new Set(), lastNumber: new Map() }
  for (let index = 0; index < count; index++) {
    random.seed([seed, index])
    const originIndex = random.number.int({ max: origins.length - 1 })
    const origin = origins[originIndex] as Origin
    const faker = fakers[originIndex] as Faker
    faker.seed([seed, index])
    yield generateFan({ faker, random, origin, index, taken })
  }
}

interface Taken {
  names: Set<string>
  /** The last number used with each stem. */
  lastNumber: Map<string, number>
}

interface Draw {
  /** Draws names in the fan's language. */
  faker: Faker
  /** Draws everything else. */
  random: Faker
  origin: Origin
  index: number
  /** Usernames of earlier fans. A fan depends on nothing later, so that the count does not change it. */
  taken: Taken
}

function generateFan({ faker, random, origin, index, taken }: Draw): Fan {
  const sex = random.helpers.arrayElement(['female', 'male'] as const)
  const given = faker.person.firstName(sex)
  const family = faker.person.lastName(sex)
  const username = unusedUsername(proposeUsername(random, given, family), taken)
  return {
    sub: `fan-${String(index + 1).padStart(4, '0')}`,
    name: origin.familyFirst === undefined ? `${given} ${family}` : `${family}${origin.familyFirst}${given}`,
    given_name: given,
    family_name: family,
    preferred_username: username,
    email: `${username.replaceAll('_', '.')}@${random.helpers.arrayElement(domains)}`,
    email_verified: random.datatype.boolean({ probability: 0.85 }),
    locale: origin.tag,
    zoneinfo: random.helpers.arrayElement(origin.zones),
    updated_at: Math.floor(random.date.past({ years: 2, refDate }).getTime() / 1000),
  }
}

function proposeUsername(random: Faker, given: string, family: string): string {
  const [first, last] = [toLatin(given), toLatin(family)]
  if (first.length < 2 || last.length < 2) {
    return `${random.helpers.arrayElement(moods)}_${random.helpers.arrayElement(roles)}`
  }
  const year = String(random.number.int({ min: 60, max: 99 }))
  return random.helpers.arrayElement([
    `${first}_${last}`,
    `${first}${last.charAt(0)}`,
    `${first}_${year}`,
    `${last}_${year}`,
  ])
}

function unusedUsername(proposal: string, { names, lastNumber }: Taken): string {
  const stem = proposal.slice(0, 20).replace(/_+$/, '')
  let username = stem.length < 3 ? `${stem}_fan` : stem
  if (names.has(username)) {
    // Continue from the last number of this stem: restarting at 2 is quadratic for a million fans.
    let n = lastNumber.get(stem) ?? 1
    while (names.has(username)) {
      n++
      username = `${stem.slice(0, 19 - String(n).length).replace(/_+$/, '')}_${n}`
    }
    lastNumber.set(stem, n)
  }
  names.add(username)
  return username
}

/** The letters a to z of a name, without accents; empty for a name in another script. */
function toLatin(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[ßæœøłđðþı]/g, letter => latin[letter] ?? '')
    .replace(/[^a-z]/g, '')
}
