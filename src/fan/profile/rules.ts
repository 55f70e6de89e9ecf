/** The rules for the members of a profile, and the normal form in which they are stored. */

import { attempt } from '../../core/attempt.ts'
import { isCountry } from '../../core/country.ts'
import { Formatted } from '../../core/formats.ts'
import { isSerializedHttps } from '../../core/https-url.ts'
import { isVisible, withoutBidiControls } from '../../core/name-text.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { SchemaOptions } from '../../core/typebox.ts'
import { OWN_FIELDS, type OwnFieldName } from '../../identity/users/users.ts'

/** All members that a fan writes. An erasure empties the same list. */
export const PROFILE_FIELDS = OWN_FIELDS

/** As the schema in `schema.ts`, which is built from the rules. An omitted member stays as it is; null clears it. */
export type ProfileChange = Partial<Record<OwnFieldName, string | null>>

export const isProfileField = (name: string): name is keyof ProfileChange =>
  PROFILE_FIELDS.some(field => field === name)

const CONTROL = /\p{Cc}/u
/** Multi-line text may contain line feeds, tabs and the directional marks of right-to-left languages. */
const CONTROL_BUT_LINES = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

interface Rule {
  /** In words, after "must be". */
  expected: string
  /** The normal form of a valid value, otherwise null. */
  normalize: (value: string) => string | null
  /** Corrects a stored value that predates the rule. */
  repair?: (value: string) => string
}

const rules: Record<keyof ProfileChange, Rule> = {
  displayName: {
    expected: '1 to 50 characters after trimming, without control and bidirectional characters',
    normalize: value => (withoutBidiControls(value) === value ? text(value, 1, 50, CONTROL) : null),
    repair: value => withoutBidiControls(value).replace(everywhere(CONTROL), ' ').replace(/ {2,}/g, ' '),
  },
  handle: {
    expected: 'a string of 3 to 20 of a-z, 0-9 and _',
    normalize: value => (/^[a-z0-9_]{3,20}$/.test(value) ? value : null),
    repair: value => value.trim().toLowerCase(),
  },
  avatarUrl: {
    expected: 'an https URL of at most 2048 characters, as the WHATWG URL Standard serialises it',
    normalize: value => (value.length <= 2048 && isSerializedHttps(value) ? value : null),
    repair: value => URL.parse(value)?.href ?? value,
  },
  bio: {
    expected: 'a string of at most 280 characters without control characters',
    normalize: value => text(value, 0, 280, CONTROL_BUT_LINES),
    repair: value => value.replace(/\r\n?/g, '\n').replace(everywhere(CONTROL_BUT_LINES), ''),
  },
  country: {
    expected: 'an ISO 3166-1 alpha-2 code in capitals, such as GB',
    normalize: value => (isCountry(value) ? value : null),
    repair: value => value.trim().toUpperCase(),
  },
  locale: {
    expected: 'a BCP 47 tag, such as en-GB',
    normalize: canonicalLocale,
    // POSIX: en_GB.UTF-8
    repair: value => (value.trim().split(/[.@]/, 1)[0] ?? '').replaceAll('_', '-'),
  },
  favoriteTeamId: { expected: 'the id of a team', normalize: value => value },
}

/**
 * The schema of a member in a request. Its rule is a format, so that a body gets the errors of its schema and of the rules
 * together. `documented` is what JSON Schema can say of it: lengths there count characters, not UTF-16 code units.
 */
export function ruledText(name: keyof ProfileChange, documented: SchemaOptions) {
  const { normalize, expected: errorNoun } = rules[name]
  const accepts = (value: string) => normalize(value) !== null
  return Formatted(`profile-${name}`, accepts, { errorNoun, documentedAs: { type: 'string', ...documented } })
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
      errors.push({ pointer: `${at}/${name}`, message: `must be ${rule.expected}` })
    else normal[name] = normalized
  }
  if (errors.length > 0) throw new DomainError(transportProblems.validation_failed, { errors })
  return normal
}

/** Checks a stored value against the current rule. `kept`: its normal or repaired form, null if there is none. */
export function checkStoredField(
  name: keyof ProfileChange,
  value: string,
): { kept: string | null; expected: string } {
  const { normalize, repair, expected } = rules[name]
  return {
    kept: normalize(value) ?? (repair ? normalize(repair(value)) : null),
    expected: `must be ${expected}`,
  }
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
  return (tag.length <= 85 && attempt(() => Intl.getCanonicalLocales(tag)[0])) || null
}
