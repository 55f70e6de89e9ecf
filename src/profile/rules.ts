/** The rules for the members of a profile, and the normal form in which they are stored. */
import { isCountry } from '../core/country.ts'
import { isSerializedHttps } from '../core/https-url.ts'
import { isVisible, withoutBidiControls } from '../core/name-text.ts'
import { DomainError, type FieldError } from '../core/problems.ts'
import { OWN_FIELDS } from '../users/tombstone.ts'
import type { ProfileChange as ProfileChangeSchema } from './schema.ts'

/** All members that a fan writes. An erasure empties the same list. */
export const PROFILE_FIELDS = OWN_FIELDS

/** An omitted member stays as it is; null clears it. */
export type ProfileChange = typeof ProfileChangeSchema.static

export const isProfileField = (name: string): name is keyof ProfileChange =>
  PROFILE_FIELDS.some(field => field === name)

const CONTROL = /\p{Cc}/u
/** Multi-line text may contain line feeds, tabs and the directional marks of right-to-left languages. */
const CONTROL_BUT_LINES = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

interface Rule {
  expected: string
  /** The normal form of a valid value, otherwise null. */
  normalize: (value: string) => string | null
  /** Corrects a stored value that predates the rule. */
  repair?: (value: string) => string
}

const rules: Record<keyof ProfileChange, Rule> = {
  displayName: {
    expected:
      'must hold 1 to 50 characters after trimming, none of them a control character or a bidirectional one',
    normalize: value => (withoutBidiControls(value) === value ? text(value, 1, 50, CONTROL) : null),
    repair: value => withoutBidiControls(value).replace(everywhere(CONTROL), ' ').replace(/ {2,}/g, ' '),
  },
  handle: {
    expected: 'must be 3 to 20 of a-z, 0-9 and _',
    normalize: value => (/^[a-z0-9_]{3,20}$/.test(value) ? value : null),
    repair: value => value.trim().toLowerCase(),
  },
  avatarUrl: {
    expected: 'must be an https URL of at most 2048 characters, as the WHATWG URL Standard serialises it',
    normalize: value => (value.length <= 2048 && isSerializedHttps(value) ? value : null),
    repair: value => URL.parse(value)?.href ?? value,
  },
  bio: {
    expected: 'must hold at most 280 characters, none of them a control character',
    normalize: value => text(value, 0, 280, CONTROL_BUT_LINES),
    repair: value => value.replace(/\r\n?/g, '\n').replace(everywhere(CONTROL_BUT_LINES), ''),
  },
  country: {
    expected: 'must be an ISO 3166-1 alpha-2 code in capitals, such as GB',
    normalize: value => (isCountry(value) ? value : null),
    repair: value => value.trim().toUpperCase(),
  },
  locale: {
    expected: 'must be a BCP 47 tag, such as en-GB',
    normalize: canonicalLocale,
    // POSIX: en_GB.UTF-8
    repair: value => (value.trim().split(/[.@]/, 1)[0] ?? '').replaceAll('_', '-'),
  },
  favoriteTeamId: { expected: 'must be the id of a team', normalize: value => value },
}

/** `at`: JSON Pointer of the profile in the request. @throws DomainError `validation_failed` with every invalid member */
export function normalizeProfile(change: ProfileChange, at: string): ProfileChange {
  const normal: ProfileChange = {}
  const errors: FieldError[] = []
  for (const [name, rule] of Object.entries(rules) as [keyof ProfileChange, (typeof rules)['bio']][]) {
    const value = change[name]
    if (value === undefined) continue
    const normalized = value === null ? null : rule.normalize(value)
    if (value !== null && normalized === null)
      errors.push({ pointer: `${at}/${name}`, message: rule.expected })
    else normal[name] = normalized
  }
  if (errors.length > 0) throw new DomainError('validation_failed', { errors })
  return normal
}

/** Checks a stored value against the current rule. `kept`: its normal or repaired form, null if there is none. */
export function checkStoredField(
  name: keyof ProfileChange,
  value: string,
): { kept: string | null; expected: string } {
  const { normalize, repair, expected } = rules[name]
  return { kept: normalize(value) ?? (repair ? normalize(repair(value)) : null), expected }
}

const everywhere = (pattern: RegExp) => new RegExp(pattern, 'gu')

/** Trims the text. `min` and `max` count code points. */
function text(value: string, min: number, max: number, forbidden: RegExp): string | null {
  const trimmed = value.trim()
  const length = [...trimmed].length
  const visible = length === 0 || isVisible(trimmed)
  return length >= min && length <= max && visible && !forbidden.test(trimmed) ? trimmed : null
}

function canonicalLocale(tag: string): string | null {
  try {
    return tag.length <= 85 ? (Intl.getCanonicalLocales(tag)[0] ?? null) : null
  } catch {
    return null
  }
}
