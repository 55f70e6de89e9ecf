/** What a fan may write about themselves, and the form in which it is kept. */
import { isCountry } from '../core/country.ts'
import { isSerializedHttps } from '../core/https-url.ts'
import { isVisible, withoutBidiControls } from '../core/name-text.ts'
import { DomainError, type FieldError } from '../core/problems.ts'
import { OWN_FIELDS } from '../users/tombstone.ts'

/** All that a fan writes, and so all that an erasure empties: one list. */
export const PROFILE_FIELDS = OWN_FIELDS

/** A member left out stays as it is; null clears it. */
export type ProfileChange = Partial<Record<(typeof PROFILE_FIELDS)[number], string | null>>

export const isProfileField = (name: string): name is keyof ProfileChange =>
  PROFILE_FIELDS.some(field => field === name)

const CONTROL = /\p{Cc}/u
/** Text of several lines may hold line feeds, tabs and the marks that right-to-left languages use. */
const CONTROL_BUT_LINES = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

interface Rule {
  expected: string
  keep: (value: string) => string | null
  /** What was probably meant by a value from before the rule. */
  mend?: (value: string) => string
}

/** Each rule answers the form to keep, or null when the value breaks it. */
const rules: Record<keyof ProfileChange, Rule> = {
  displayName: {
    expected:
      'must hold 1 to 50 characters after trimming, none of them a control character or a bidirectional one',
    keep: value => (withoutBidiControls(value) === value ? text(value, 1, 50, CONTROL) : null),
    mend: value => withoutBidiControls(value).replace(everywhere(CONTROL), ' ').replace(/ {2,}/g, ' '),
  },
  handle: {
    expected: 'must be 3 to 20 of a-z, 0-9 and _',
    keep: value => (/^[a-z0-9_]{3,20}$/.test(value) ? value : null),
    mend: value => value.trim().toLowerCase(),
  },
  avatarUrl: {
    expected: 'must be an https URL of at most 2048 characters, as the WHATWG URL Standard serialises it',
    keep: value => (value.length <= 2048 && isSerializedHttps(value) ? value : null),
    mend: value => URL.parse(value)?.href ?? value,
  },
  bio: {
    expected: 'must hold at most 280 characters, none of them a control character',
    keep: value => text(value, 0, 280, CONTROL_BUT_LINES),
    mend: value => value.replace(/\r\n?/g, '\n').replace(everywhere(CONTROL_BUT_LINES), ''),
  },
  country: {
    expected: 'must be an ISO 3166-1 alpha-2 code in capitals, such as GB',
    keep: value => (isCountry(value) ? value : null),
    mend: value => value.trim().toUpperCase(),
  },
  locale: {
    expected: 'must be a BCP 47 tag, such as en-GB',
    keep: canonicalLocale,
    // POSIX: en_GB.UTF-8
    mend: value => (value.trim().split(/[.@]/, 1)[0] ?? '').replaceAll('_', '-'),
  },
  favoriteTeamId: { expected: 'must be the id of a team', keep: value => value },
}

/** `at` points to the profile in the request. @throws DomainError `validation_failed`, naming every member at fault */
export function normalizeProfile(change: ProfileChange, at: string): ProfileChange {
  const normal: ProfileChange = {}
  const errors: FieldError[] = []
  for (const [name, rule] of Object.entries(rules) as [keyof ProfileChange, (typeof rules)['bio']][]) {
    const value = change[name]
    if (value === undefined) continue
    const kept = value === null ? null : rule.keep(value)
    if (value !== null && kept === null) errors.push({ pointer: `${at}/${name}`, message: rule.expected })
    else normal[name] = kept
  }
  if (errors.length > 0) throw new DomainError('validation_failed', { errors })
  return normal
}

/** A stored value held to today's rule: the form to keep, which may be the same; null and why where there is none. */
export function judgeField(
  name: keyof ProfileChange,
  value: string,
): { kept: string | null; expected: string } {
  const { keep, mend, expected } = rules[name]
  return { kept: keep(value) ?? (mend ? keep(mend(value)) : null), expected }
}

const everywhere = (pattern: RegExp) => new RegExp(pattern, 'gu')

/** Characters are counted as people see them, by code point. */
function text(value: string, min: number, max: number, forbidden: RegExp): string | null {
  const trimmed = value.trim()
  const length = [...trimmed].length
  const seen = length === 0 || isVisible(trimmed)
  return length >= min && length <= max && seen && !forbidden.test(trimmed) ? trimmed : null
}

function canonicalLocale(tag: string): string | null {
  try {
    return tag.length <= 85 ? (Intl.getCanonicalLocales(tag)[0] ?? null) : null
  } catch {
    return null
  }
}
