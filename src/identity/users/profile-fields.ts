/**
 * The columns of a user record that a fan writes: the members of a profile. Each is declared once, here. The schemas of requests,
 * responses and imports, the rules, the completion of a profile and the erasure follow. A field is null until it is written.
 */
import type { Tables } from '../../../db/index.ts'
import { attempt } from '../../core/attempt.ts'
import { isCountry } from '../../core/country.ts'
import { Formatted } from '../../core/formats.ts'
import { isSerializedHttps, MAX_URL_LENGTH } from '../../core/https-url.ts'
import {
  isDeceptive,
  isStacked,
  isVisible,
  plainName,
  withoutBidiControls,
  withoutStacks,
} from '../../core/name-text.ts'
import { type SchemaOptions, type TSchema, Type } from '../../core/typebox.ts'
import { UPLOADED } from '../../core/uploaded-url.ts'

type Mirrored = 'name' | 'picture' | null
type SchemaOf<Value> = TSchema & { static: Value }

export interface ProfileField<Value, Mirror extends Mirrored = Mirrored> {
  /** In words, after "must be". */
  expected: string
  /** The normal form of a valid value, otherwise null. */
  normalize: (value: Value) => Value | null
  /** Corrects a stored value that predates the rule. */
  repair?: (value: Value) => Value
  /** Whether a complete profile needs this field, as `profile.completed` requires. */
  completes: boolean
  /** The mirrored provider data that is used as a fallback. */
  mirror: Mirror
  example: Value
  /** The schema of a request. Its rule is part of it, so that a body gets all its errors together. */
  input: (name: string) => SchemaOf<Value>
  /** The type alone: of a response, and of an import, whose values the rule checks. */
  plain: SchemaOf<Value>
}

interface TextField<Mirror extends Mirrored> extends Omit<ProfileField<string, Mirror>, 'input' | 'plain'> {
  /**
   * The part of the rule that JSON Schema can express for a request: its lengths count characters, not UTF-16
   * code units.
   */
  documented: SchemaOptions & { description: string }
  /** Describes it in a response. */
  shown: string
}

function text<const Mirror extends Mirrored>(field: TextField<Mirror>): ProfileField<string, Mirror> {
  const { normalize, expected: errorNoun, documented, example, shown } = field
  const documentedAs = { type: 'string', ...documented, examples: [example] }
  const accepts = (value: string) => normalize(value) !== null
  return {
    ...field,
    input: name => Formatted(`profile-${name}`, accepts, { errorNoun, documentedAs }),
    plain: Type.String({ description: shown }),
  }
}

const CONTROL = /\p{Cc}/u
/** Multi-line text may contain line feeds, tabs and the directional marks of right-to-left languages. */
const CONTROL_BUT_LINES = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

const everywhere = (pattern: RegExp) => new RegExp(pattern, 'gu')

/** Trims the text. `min` and `max` count code points. */
function trimmed(value: string, min: number, max: number, forbidden: RegExp): string | null {
  const trimmed = value.trim()
  const length = [...trimmed].length
  const visible = length === 0 || isVisible(trimmed)
  const isPlain = visible && !isStacked(trimmed) && !forbidden.test(trimmed)
  return length >= min && length <= max && isPlain ? trimmed : null
}

const [NAME_MAX, BIO_MAX, LOCALE_MAX, ID_MAX] = [50, 280, 85, 100]
const HANDLE = '^[a-z0-9_]{3,20}$'

export const profileFields = {
  displayName: text({
    expected: `1 to ${NAME_MAX} characters after trimming, without control, bidirectional and invisible characters, stacked marks, styled letters, and words that mix letters of similar scripts`,
    normalize: value =>
      withoutBidiControls(value) === value && !isDeceptive(value)
        ? trimmed(value, 1, NAME_MAX, CONTROL)
        : null,
    repair: value =>
      plainName(withoutBidiControls(value)).replace(everywhere(CONTROL), ' ').replace(/ {2,}/g, ' '),
    completes: true,
    mirror: 'name',
    documented: {
      minLength: 1,
      maxLength: NAME_MAX,
      description: `1 to ${NAME_MAX} characters after trimming, no control or bidirectional control characters, no invisible or styled characters (Unicode NFKC), no more marks on a letter than languages use, and no word that mixes letters of scripts that look alike, such as Latin and Cyrillic.`,
    },
    shown: 'The fan’s own name, or else the provider’s.',
    example: 'Calebe',
  }),
  handle: text({
    expected: 'a string of 3 to 20 of a-z, 0-9 and _',
    normalize: value => (new RegExp(HANDLE).test(value) ? value : null),
    repair: value => value.trim().toLowerCase(),
    completes: true,
    mirror: null,
    documented: { pattern: HANDLE, description: 'Unique among fans. Names of the club are reserved.' },
    shown: 'Unique among fans.',
    example: 'calebe',
  }),
  avatarUrl: text({
    expected: `an https URL of at most ${MAX_URL_LENGTH} characters, as the WHATWG URL Standard serialises it, or the path of an uploaded picture`,
    normalize: value =>
      UPLOADED.test(value) || (value.length <= MAX_URL_LENGTH && isSerializedHttps(value)) ? value : null,
    repair: value => URL.parse(value)?.href ?? value,
    completes: true,
    mirror: 'picture',
    documented: {
      format: 'uri-reference',
      pattern: '^(https://|/uploads/)',
      maxLength: MAX_URL_LENGTH,
      description:
        'The `url` of a picture that you uploaded, or an https URL without credentials, as the WHATWG URL Standard serialises it: `new URL(x).href === x`.',
    },
    shown: 'The fan’s own picture, or else the provider’s. A path is of the API’s origin.',
    example: 'https://images.example.com/calebe.png',
  }),
  bio: text({
    expected: `a string of at most ${BIO_MAX} characters without control characters and stacked marks`,
    normalize: value => trimmed(value, 0, BIO_MAX, CONTROL_BUT_LINES),
    repair: value => withoutStacks(value.replace(/\r\n?/g, '\n').replace(everywhere(CONTROL_BUT_LINES), '')),
    completes: true,
    mirror: null,
    documented: {
      maxLength: BIO_MAX,
      description: `At most ${BIO_MAX} characters after trimming, no control characters, no more marks on a letter than languages use.`,
    },
    shown: 'What the fan wrote about themselves.',
    example: 'North stand, row 12.',
  }),
  country: text({
    expected: 'an ISO 3166-1 alpha-2 code in capitals, such as GB',
    normalize: value => (isCountry(value) ? value : null),
    repair: value => value.trim().toUpperCase(),
    completes: true,
    mirror: null,
    documented: { pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2 in capitals, or XK.' },
    shown: 'ISO 3166-1 alpha-2, or XK.',
    example: 'GB',
  }),
  locale: text({
    expected: 'a BCP 47 tag, such as en-GB',
    normalize: tag => (tag.length <= LOCALE_MAX && attempt(() => Intl.getCanonicalLocales(tag)[0])) || null,
    // POSIX: en_GB.UTF-8
    repair: value => (value.trim().split(/[.@]/, 1)[0] ?? '').replaceAll('_', '-'),
    completes: true,
    mirror: null,
    documented: {
      minLength: 2,
      maxLength: LOCALE_MAX,
      description: 'BCP 47; stored in canonical form.',
    },
    shown: 'BCP 47, in its canonical form.',
    example: 'en-GB',
  }),
  favoriteTeamId: text({
    expected: 'the id of a team',
    normalize: value => (value.length <= ID_MAX ? value : null),
    completes: true,
    mirror: null,
    documented: { maxLength: ID_MAX, description: 'Id of a team.' },
    shown: 'The `id` of a team.',
    example: 'harbour-city',
  }),
}

export type ProfileFieldName = keyof typeof profileFields

type User = Tables['users']['$inferSelect']
type Values = { [Name in ProfileFieldName]: NonNullable<User[Name]> }
export type ProfileValue = Values[ProfileFieldName]

/** Does not compile where a field and its column have different types. */
const fields: { [Name in ProfileFieldName]: ProfileField<Values[Name]> } = profileFields

/** The field with this name, for code that handles all fields alike. */
export const profileField = <Name extends ProfileFieldName>(name: Name) => fields[name]

// Guarantee: the keys of a constant.
export const PROFILE_FIELDS = Object.keys(profileFields) as ProfileFieldName[]

/** An omitted member keeps its value; null clears it. */
export type ProfileChange = { [Name in ProfileFieldName]?: Values[Name] | null }

export const isProfileField = (name: string): name is ProfileFieldName => name in profileFields

/** The members of a profile in a record, or the columns in a table or query. */
export const pickProfile = <From extends { [Name in ProfileFieldName]?: unknown }>(from: From) =>
  // Guarantee of the cast: each by its name.
  Object.fromEntries(PROFILE_FIELDS.map(name => [name, from[name]])) as {
    [Name in ProfileFieldName]: From[Name]
  }

/** Whether all fields that a complete profile needs are present. */
export const isComplete = (
  user: Record<ProfileFieldName, unknown>,
  declared: Record<ProfileFieldName, { completes: boolean }> = fields,
) => PROFILE_FIELDS.every(name => !declared[name].completes || user[name] !== null)
