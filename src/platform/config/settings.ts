/**
 * What the club's staff decide, each setting declared once: entry of the catalogue, form, file, documentation and variable follow.
 * The variable of a setting has its name in capitals (`onboardingPoints`: ONBOARDING_POINTS), and wins while it is set.
 */
import { CURRENCIES } from '../../core/currencies.ts'
import { isPlainHttps, MAX_URL_LENGTH } from '../../core/https-url.ts'
import { Integer, OneOf } from '../../core/schemas.ts'
import { type TSchema, Type } from '../../core/typebox.ts'
import { isTimeZone } from '../../core/windows.ts'
import type { EnvironmentReader } from './environment.ts'

interface Setting<Value> {
  about: string
  /** Without the environment and the entry. */
  fallback: Value
  /** Whether it gives points: a change may need a second person. */
  isMoney?: true
  /** Of a value in the entry. */
  schema: TSchema
  /** The value of its variable, which has one. */
  read(reader: EnvironmentReader, variable: string): Value
  /** Why a valid value is refused, with its place within the value. */
  faults?(value: NonNullable<Value>): Fault[]
}

interface Fault {
  pointer: string
  message: string
}

const MAX_POINTS = 1_000_000_000
const MAX_DAYS = 36_500
/** Characters of a word or name. */
const MAX_WORD = 100
const WARNED_DAYS = 31

function whole(fallback: number, [minimum, maximum]: [number, number], about: string): Setting<number> {
  return {
    about,
    fallback,
    schema: Integer({ minimum, maximum, description: `${about} Default: ${fallback}.` }),
    read: (reader, variable) => reader.integer(variable, fallback, minimum, maximum),
  }
}

const words = (
  about: string,
  maxItems: number,
): Pick<Setting<readonly string[]>, 'about' | 'fallback' | 'schema'> => ({
  about,
  fallback: [],
  schema: Type.Array(Type.String({ minLength: 1, maxLength: MAX_WORD }), { maxItems, description: about }),
})

const points = (fallback: number, about: string) => ({
  ...whole(fallback, [0, MAX_POINTS], about),
  isMoney: true as const,
})

const pointsOf = (hit: string) => `Points of a prediction with ${hit}.`

const expiry = whole(
  0,
  [0, MAX_DAYS],
  `Days after which earned points expire: 0 for never, or at least ${WARNED_DAYS}.`,
)

const FILTERS = ['off', 'flag', 'block'] as const

const textFilter: Setting<(typeof FILTERS)[number]> = {
  about:
    'What happens to names, handles and other public texts with a word of the built-in English list, or of the club’s list. `block` refuses them; `flag` accepts them, and files a report for moderators.',
  fallback: 'off',
  schema: OneOf(FILTERS, { description: 'For public texts with words that are not allowed. Default: off.' }),
  read: (reader, variable) => reader.oneOf(variable, FILTERS),
}

const textFilterList: Setting<readonly string[]> = {
  ...words(
    'Words of the club for the text filter. `!word` allows a word. Case and accents make no difference.',
    5_000,
  ),
  read(reader, variable) {
    const lines = (reader.file(variable) ?? '').split('\n').map(line => line.trim())
    const list = lines.filter(line => line !== '' && !line.startsWith('#'))
    if (list.some(line => line.length > MAX_WORD) || wordFaults(list).length > 0)
      reader.refuse(variable, `must have one word of at most ${MAX_WORD} characters in each line`)
    if (list.length > 0 && reader.oneOf('TEXT_FILTER', FILTERS) === 'off')
      reader.refuse(variable, 'has no effect while TEXT_FILTER is off: set it to flag or block')
    return list
  },
  faults: wordFaults,
}

function wordFaults(list: readonly string[]): Fault[] {
  return faultsOfItems(list, word => word.replace(/^!/, '').trim() !== '', 'must be a word, or ! and a word')
}

const reservedHandles: Setting<readonly string[]> = {
  ...words(
    'Names of the club that fans cannot use as a handle or name, in addition to `admin`, `support` and others.',
    1_000,
  ),
  read(reader, variable) {
    const names = reader.list(variable, ',')
    if (names.some(name => name.length > MAX_WORD) || nameFaults(names).length > 0)
      reader.refuse(variable, `must be names with a letter or a digit, of at most ${MAX_WORD} characters`)
    return names
  },
  faults: nameFaults,
}

function nameFaults(names: readonly string[]): Fault[] {
  return faultsOfItems(names, name => /[\p{L}\p{N}]/u.test(name), 'must have a letter or a digit')
}

const faultsOfItems = (items: readonly string[], isValid: (item: string) => boolean, message: string) =>
  items.flatMap((item, index) => (isValid(item) ? [] : [{ pointer: `/${index}`, message }]))

const VERSION = '^[\\w.-]{1,64}$'

const termsVersion: Setting<string | null> = {
  about:
    'The version of the terms that a fan must have accepted to write public texts: up to 64 letters, digits, `.`, `-` and `_`.',
  fallback: null,
  schema: Type.String({
    pattern: VERSION,
    description: 'The version of the terms that fans must accept to write public texts.',
    errorNoun: '1 to 64 letters, digits, dots, hyphens and underscores',
  }),
  read(reader, variable) {
    const version = reader.text(variable) ?? null
    if (version !== null && !new RegExp(VERSION).test(version))
      reader.refuse(variable, 'must be 1 to 64 letters, digits, dots, hyphens and underscores')
    return version
  },
}

const termsUrl: Setting<string | null> = {
  about: 'The `https` URL of these terms, which apps get with the version.',
  fallback: null,
  schema: Type.String({ maxLength: MAX_URL_LENGTH, description: 'The https URL of these terms.' }),
  read(reader, variable) {
    const url = reader.text(variable) ?? null
    if (url !== null && (!isPlainHttps(url) || url.length > MAX_URL_LENGTH))
      reader.refuse(variable, 'must be an https URL without credentials')
    if (url !== null && reader.text('TERMS_VERSION') === undefined)
      reader.refuse(variable, 'has no effect without TERMS_VERSION: set it too')
    return url
  },
  faults: url =>
    isPlainHttps(url) ? [] : [{ pointer: '', message: 'must be an https URL without credentials' }],
}

const appUrl: Setting<string | null> = {
  about: 'The `https` URL of the club’s app, to which the pages that fans share link.',
  fallback: null,
  schema: Type.String({ maxLength: MAX_URL_LENGTH, description: 'The https URL of the club’s app.' }),
  read(reader, variable) {
    const url = reader.text(variable) ?? null
    if (url !== null && !isAppUrl(url)) reader.refuse(variable, 'must be an https URL without credentials')
    return url
  },
  faults: url =>
    isAppUrl(url) ? [] : [{ pointer: '', message: 'must be an https URL without credentials' }],
}

const isAppUrl = (url: string) => isPlainHttps(url) && url.length <= MAX_URL_LENGTH

const EVENT_TYPE = '^[a-z][a-z0-9_-]*(\\.[a-z0-9_-]+)+$'

const referralCompletes: Setting<string> = {
  about: 'The type of the event by which a fan who was invited completes the invitation.',
  fallback: 'onboarding.completed',
  isMoney: true,
  schema: Type.String({
    maxLength: 100,
    pattern: EVENT_TYPE,
    description:
      'The event of an invited fan that completes the invitation, such as order.paid. Default: onboarding.completed.',
    errorNoun: 'a type like order.paid: dotted lower case, at most 100 characters',
  }),
  read(reader, variable) {
    const type = reader.text(variable) ?? ''
    if (type.length > 100 || !new RegExp(EVENT_TYPE).test(type))
      reader.refuse(variable, 'must be the type of an event, such as order.paid')
    return type
  },
}

const currency: Setting<string | null> = {
  about: 'The currency of the club, of ISO 4217, in which the console shows what points are worth.',
  fallback: null,
  schema: Type.String({ pattern: '^[A-Z]{3}$', description: 'The currency of the club, such as EUR.' }),
  read(reader, variable) {
    const value = reader.text(variable) ?? null
    if (value !== null && !CURRENCIES.has(value))
      reader.refuse(variable, 'must be a currency of ISO 4217, such as EUR')
    return value
  },
  faults: value =>
    CURRENCIES.has(value) ? [] : [{ pointer: '', message: 'must be a currency of ISO 4217, such as EUR' }],
}

const ZONE = 'must be a time zone such as Europe/Madrid'

const timeZone: Setting<string | null> = {
  about:
    'The time zone of the club, such as Europe/Madrid. The console shows and takes times in it, unless a person chooses another. Months of invitations and days of reports begin in it; without it in UTC.',
  fallback: null,
  schema: Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'The time zone of the club, such as Europe/Madrid, in which the console shows and takes times.',
  }),
  read(reader, variable) {
    const value = reader.text(variable) ?? null
    if (value !== null && !isTimeZone(value)) reader.refuse(variable, ZONE)
    return value
  },
  faults: value => (isTimeZone(value) ? [] : [{ pointer: '', message: ZONE }]),
}

const MAX_POINT_VALUE = 1_000_000

const pointValue: Setting<number> & { isMoney: true } = {
  about:
    'What a point costs the club when it is used, in minor units of `currency`: 0.5 is half a cent. The console shows the worth of all points by it; 0 shows none.',
  fallback: 0,
  isMoney: true,
  schema: Type.Number({
    minimum: 0,
    maximum: MAX_POINT_VALUE,
    description: 'What a point costs the club, in minor units of the currency. Default: 0.',
  }),
  read(reader, variable) {
    const text = reader.text(variable)
    if (text === undefined) return 0
    const value = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && value <= MAX_POINT_VALUE) return value
    reader.refuse(variable, `must be a number from 0 to ${MAX_POINT_VALUE}`)
    return 0
  },
}

const paidPacks: Setting<boolean> = {
  about:
    'Whether packs are sold for money. `false`: only for points, for countries that forbid paid random items. It also covers products that deliver a pack.',
  fallback: true,
  schema: Type.Boolean({ description: 'Whether packs are sold for money. Default: true.' }),
  read: (reader, variable) => reader.flag(variable, true),
}

/** A member of the seller on receipts. */
const ofSeller = (max: number, about: string): Setting<string | null> => ({
  about,
  fallback: null,
  schema: Type.String({ minLength: 1, maxLength: max, description: about }),
  read(reader, variable) {
    const value = reader.text(variable) ?? null
    if (value !== null && value.length > max) reader.refuse(variable, `must have at most ${max} characters`)
    return value
  },
})

export const SETTINGS = {
  onboardingPoints: points(100, 'Points for completing the onboarding; 0 grants none.'),
  predictionPointsOutcome: points(10, pointsOf('the right outcome: home win, draw or away win')),
  predictionPointsDifference: points(
    15,
    pointsOf('the right goal difference, instead of the points for the outcome'),
  ),
  predictionPointsExact: points(
    25,
    `${pointsOf('both scores right, instead of the points for the difference')} A match keeps the values that are in force when its settlement begins.`,
  ),
  pointsExpireAfterDays: {
    ...expiry,
    isMoney: true,
    faults: (days: number) =>
      days > 0 && days < WARNED_DAYS
        ? [{ pointer: '', message: `must be 0, or at least ${WARNED_DAYS}: fans are warned 30 days before` }]
        : [],
  },
  packHoldsPerFan: whole(
    5,
    [0, 1_000_000],
    'Maximum number of pending purchases of one pack by a fan; 0 means no limit.',
  ),
  paidPacks,
  heldUnitsPerFan: whole(
    10,
    [0, 1_000_000],
    'Maximum number of units of one product in unpaid orders of a fan, if the product has no `maxPerFan` and its stock is limited; 0 means no limit.',
  ),
  openOrdersPerFan: whole(10, [1, 1_000], 'Maximum number of unpaid orders of a fan.'),
  openTradesPerFan: whole(20, [1, 1_000], 'Maximum number of open trade offers by a fan.'),
  tradeRestHours: whole(24, [0, 8_760], 'Hours for which an item cannot be traded after it got a new owner.'),
  referralCompletes,
  referralLimit: {
    ...whole(
      10,
      [0, 1_000],
      'Maximum number of invitations of a fan that are completed in a month of `timeZone`.',
    ),
    isMoney: true,
  },
  pushesPerDay: whole(
    5,
    [0, 100],
    'Maximum number of messages that are sent to the devices of a fan on one day.',
  ),
  textFilter,
  textFilterList,
  reservedHandles,
  termsVersion,
  termsUrl,
  appUrl,
  sellerName: ofSeller(200, 'Who sells, as receipts name the company.'),
  sellerAddress: ofSeller(500, 'The address of the seller on receipts.'),
  sellerTaxId: ofSeller(50, 'The tax number of the seller on receipts, such as PT501234567.'),
  currency,
  timeZone,
  pointValue,
  eventRetentionDays: whole(
    400,
    [31, MAX_DAYS],
    'Days after which the data of an event, and the note of its void, are deleted. Points that the event has earned stay, and a repeat of the event is still a duplicate.',
  ),
  orderAddressRetentionDays: whole(
    0,
    [0, MAX_DAYS],
    'If the law requires invoices: days after the checkout for which the encrypted address of a paid order is kept when its fan is erased. With 0 it is deleted at once.',
  ),
} satisfies Record<
  string,
  | Setting<number>
  | Setting<boolean>
  | Setting<string>
  | Setting<string | null>
  | Setting<readonly string[]>
  | typeof textFilter
>

export type SettingName = keyof typeof SETTINGS

/** The values in force. */
export type Settings = { readonly [Name in SettingName]: (typeof SETTINGS)[Name]['fallback'] }

// Guarantee of the cast: the names of an object without symbols.
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

/** `ONBOARDING_POINTS` of `onboardingPoints`. */
export const variableOf = (name: SettingName): string =>
  name.replace(/[A-Z]/g, capital => `_${capital}`).toUpperCase()

/** Guarantee of the cast: each name with the fallback of its setting. */
export const defaultSettings = Object.freeze(
  Object.fromEntries(SETTING_NAMES.map(name => [name, SETTINGS[name].fallback])),
) as Settings

/** Why values that their schemas allow are refused. Pointers lead into `values`. */
export const settingFaults = (values: { readonly [Name in SettingName]?: unknown }): Fault[] =>
  SETTING_NAMES.flatMap(name => {
    // Guarantee of the cast: values of the schema of the setting.
    const { faults } = SETTINGS[name] as Setting<unknown>
    const value = values[name]
    if (value === undefined || value === null || !faults) return []
    return faults(value).map(({ pointer, message }) => ({ pointer: `/${name}${pointer}`, message }))
  })

/** Whether two entries differ in what gives points. */
export function changesMoney(before: object, after: object): boolean {
  const [from, to]: Partial<Record<string, unknown>>[] = [before, after]
  return SETTING_NAMES.some(name => {
    const { isMoney }: { isMoney?: true } = SETTINGS[name]
    return isMoney === true && (from?.[name] ?? null) !== (to?.[name] ?? null)
  })
}

/** The settings whose variables are set. */
export function readSettings(reader: EnvironmentReader): Readonly<Partial<Settings>> {
  const stated = SETTING_NAMES.flatMap(name => {
    const variable = variableOf(name)
    if (reader.text(variable) === undefined) return []
    return [[name, SETTINGS[name].read(reader, variable)] as const]
  })
  const settings: Partial<Settings> = Object.fromEntries(stated)
  const { pointsExpireAfterDays } = settings
  for (const { message } of settingFaults({ pointsExpireAfterDays }))
    reader.refuse(variableOf('pointsExpireAfterDays'), message)
  return Object.freeze(settings)
}
