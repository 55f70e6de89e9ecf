import { base, en, Faker } from '@faker-js/faker'
import { type Origin, origins } from './fan-origins.ts'

/** A generated fan: standard OIDC claims (OpenID Connect Core §5.1). `picture` is added when presenting. */
export interface Fan {
  /** Stable and opaque: `fan-0001`, `fan-0002`, … */
  sub: string
  name: string
  given_name: string
  family_name: string
  /** Unique, `^[a-z0-9_]{3,20}$`. */
  preferred_username: string
  /** Unique, at example.com, example.net or example.org. */
  email: string
  email_verified: boolean
  /** BCP 47. */
  locale: string
  /** IANA time zone. */
  zoneinfo: string
  /** Seconds since the epoch. */
  updated_at: number
}

/** What a claim of a user may be: a user made or changed by a test need not have all that a generated fan has. */
export type User = Pick<Fan, 'sub' | 'updated_at'> & Partial<Fan> & { picture?: string }

const refDate = new Date('2026-01-01T00:00:00.000Z')
const domains = ['example.com', 'example.net', 'example.org'] as const
const moods = ['amber', 'away', 'brave', 'cobalt', 'early', 'golden', 'lucky', 'north', 'scarlet', 'silver']
const roles = [
  'anthem',
  'banner',
  'corner',
  'drummer',
  'keeper',
  'libero',
  'scarf',
  'striker',
  'terrace',
  'volley',
]
const latin: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}

/**
 * The fans of a seed, `fan-0001` first. Pure: the same seed gives the same fans byte for byte, and a greater count
 * only appends, so that fan i is the same person whatever the count.
 * @param options.seed any integer
 * @param options.count how many, 0 or more
 */
export function generateFans(options: { seed: number; count: number }): Fan[] {
  return [...walkFans(options)]
}

/** The same one after another: of those before, only the usernames are remembered. */
export function* walkFans({ seed, count }: { seed: number; count: number }): Generator<Fan> {
  const fakers = origins.map(({ names }) => new Faker({ locale: [names, en, base] }))
  const dice = new Faker({ locale: [en, base] })
  const taken: Taken = { names: new Set(), tried: new Map() }
  for (let index = 0; index < count; index++) {
    dice.seed([seed, index])
    const at = dice.number.int({ max: origins.length - 1 })
    const origin = origins[at] as Origin
    const faker = fakers[at] as Faker
    faker.seed([seed, index])
    yield generateFan({ faker, dice, origin, index, taken })
  }
}

interface Taken {
  names: Set<string>
  /** By stem: the last number that was tried, and so is taken. */
  tried: Map<string, number>
}

interface Draw {
  /** Names in the fan's own language. */
  faker: Faker
  /** Everything else. */
  dice: Faker
  origin: Origin
  index: number
  /** Usernames of the fans before this one; only these may steer it, or it would change with the count. */
  taken: Taken
}

function generateFan({ faker, dice, origin, index, taken }: Draw): Fan {
  const sex = dice.helpers.arrayElement(['female', 'male'] as const)
  const given = faker.person.firstName(sex)
  const family = faker.person.lastName(sex)
  const username = unusedUsername(proposeUsername(dice, given, family), taken)
  return {
    sub: `fan-${String(index + 1).padStart(4, '0')}`,
    name: origin.familyFirst === undefined ? `${given} ${family}` : `${family}${origin.familyFirst}${given}`,
    given_name: given,
    family_name: family,
    preferred_username: username,
    email: `${username.replaceAll('_', '.')}@${dice.helpers.arrayElement(domains)}`,
    email_verified: dice.datatype.boolean({ probability: 0.85 }),
    locale: origin.tag,
    zoneinfo: dice.helpers.arrayElement(origin.zones),
    updated_at: Math.floor(dice.date.past({ years: 2, refDate }).getTime() / 1000),
  }
}

function proposeUsername(dice: Faker, given: string, family: string): string {
  const [first, last] = [toLatin(given), toLatin(family)]
  if (first.length < 2 || last.length < 2) {
    return `${dice.helpers.arrayElement(moods)}_${dice.helpers.arrayElement(roles)}`
  }
  const year = String(dice.number.int({ min: 60, max: 99 }))
  return dice.helpers.arrayElement([
    `${first}_${last}`,
    `${first}${last.charAt(0)}`,
    `${first}_${year}`,
    `${last}_${year}`,
  ])
}

function unusedUsername(proposal: string, { names, tried }: Taken): string {
  const stem = proposal.slice(0, 20).replace(/_+$/, '')
  let username = stem.length < 3 ? `${stem}_fan` : stem
  if (names.has(username)) {
    // From where the last of this stem left off: a million fans must not try the same numbers again and again.
    let n = tried.get(stem) ?? 1
    while (names.has(username)) {
      n++
      username = `${stem.slice(0, 19 - String(n).length).replace(/_+$/, '')}_${n}`
    }
    tried.set(stem, n)
  }
  names.add(username)
  return username
}

/** The letters a to z of a name, accents taken off; empty for a name in another script. */
function toLatin(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[ßæœøłđðþı]/g, letter => latin[letter] ?? '')
    .replace(/[^a-z]/g, '')
}

/**
 * A user as userinfo, webhooks and the control interface show it: its claims, `sub` first, with a `picture` made by
 * the provider itself unless it was given another.
 */
export function presentUser(user: User, issuer: string): User {
  const { sub, ...claims } = user
  return { sub, picture: `${issuer}/avatars/${encodeURIComponent(sub)}.svg`, ...claims }
}
