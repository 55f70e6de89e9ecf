import { isPlainHttps, MAX_URL_LENGTH } from '../../core/https-url.ts'
import type { EnvironmentReader } from './environment.ts'

/** Rules for texts that fans show to others. */
export interface PublicTextConfig {
  filter: 'off' | 'flag' | 'block'
  /** Words of the club, which are filtered as well. */
  blockedWords: string[]
  /** Words of the club, which are never filtered. */
  allowedWords: string[]
  /** Names of the club that fans cannot use, in addition to the built-in ones. */
  reservedHandles: string[]
  /** The version of the terms that a fan must have accepted to write public text. Null: none is asked for. */
  termsVersion: string | null
  /** Where the terms are. */
  termsUrl: string | null
}

const MAX_WORD = 100
const VERSION = /^[\w.-]{1,64}$/

export function readPublicText(reader: EnvironmentReader): Readonly<PublicTextConfig> {
  const filter = reader.oneOf('TEXT_FILTER', ['off', 'flag', 'block'])
  const lines = (reader.file('TEXT_FILTER_LIST') ?? '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
  if (lines.some(line => line === '!' || line.length > MAX_WORD))
    reader.refuse('TEXT_FILTER_LIST', `must have one word of at most ${MAX_WORD} characters in each line`)
  if (lines.length > 0 && filter === 'off')
    reader.refuse('TEXT_FILTER_LIST', 'has no effect while TEXT_FILTER is off: set it to flag or block')
  const reservedHandles = reader.list('RESERVED_HANDLES', ',')
  if (reservedHandles.some(name => !/[\p{L}\p{N}]/u.test(name) || name.length > MAX_WORD))
    reader.refuse(
      'RESERVED_HANDLES',
      `must be names with a letter or a digit, of at most ${MAX_WORD} characters`,
    )
  const termsVersion = reader.text('TERMS_VERSION') ?? null
  if (termsVersion !== null && !VERSION.test(termsVersion))
    reader.refuse('TERMS_VERSION', 'must be 1 to 64 letters, digits, dots, hyphens and underscores')
  const termsUrl = reader.text('TERMS_URL') ?? null
  if (termsUrl !== null && (!isPlainHttps(termsUrl) || termsUrl.length > MAX_URL_LENGTH))
    reader.refuse('TERMS_URL', 'must be an https URL without credentials')
  if (termsUrl !== null && termsVersion === null)
    reader.refuse('TERMS_URL', 'has no effect without TERMS_VERSION: set it too')
  return Object.freeze({
    filter,
    blockedWords: lines.filter(line => !line.startsWith('!')),
    allowedWords: lines.filter(line => line.startsWith('!')).map(line => line.slice(1).trim()),
    reservedHandles,
    termsVersion,
    termsUrl,
  })
}
