/** Addresses of orders: checked by the rules of their country, and encrypted in the database. */

import type { Sources } from '../../../db/index.ts'
import { isCountry } from '../../core/country.ts'
import { createRotatingEncryption, type Encryption, type RotatedKeys } from '../../core/encryption.ts'
import { Formatted } from '../../core/formats.ts'
import { isStacked, isVisible } from '../../core/name-text.ts'
import type { FieldError } from '../../core/problems.ts'
import { Closed, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { needsPostalCode, readPostalCode } from './postal-codes.ts'

const CONTROL = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
const MAX_LINE = 100
const isLine = lineOf(MAX_LINE)
/**
 * Schemas of optional text, one for each maximum length, since formats are registered by name. Forms send blank lines, which
 * count as absent.
 */
const OPTIONAL = { 20: optional(20), 30: optional(30), 100: optional(MAX_LINE) }

function lineOf(max: number) {
  return (text: string) =>
    text.length <= max && isVisible(text) && !isStacked(text) && !CONTROL.test(text.trim())
}

function optional(max: number) {
  const isLine = lineOf(max)
  return (text: string) => (text.length <= max && text.trim() === '') || isLine(text)
}

const Line = (description: string, example: string) =>
  Formatted('address-line', isLine, {
    errorNoun: `1 to ${MAX_LINE} characters on one line`,
    documentedAs: { type: 'string', minLength: 1, maxLength: MAX_LINE, description, examples: [example] },
  })

const OptionalLine = (max: keyof typeof OPTIONAL, description: string, example: string) =>
  Type.Optional(
    Nullable(
      Formatted(`address-optional-line-${max}`, OPTIONAL[max], {
        errorNoun: `at most ${max} characters on one line`,
        documentedAs: { type: 'string', maxLength: max, description, examples: [example] },
      }),
    ),
  )

const members = {
  name: Line('Who receives it.', 'Ana Ruiz'),
  line1: Line('Street and number, or a box.', 'Rua do Cais 12'),
  line2: OptionalLine(100, 'Flat, floor or company.', '3.º esquerdo'),
  city: Line('City or town.', 'Porto'),
  region: OptionalLine(100, 'State, province or county.', 'Porto'),
  postalCode: OptionalLine(
    20,
    'Required where mail needs it. Case, spaces and dashes make no difference.',
    '4050-123',
  ),
  country: Formatted('address-country', isCountry, {
    errorNoun: 'a country of ISO 3166-1 alpha-2, or XK',
    documentedAs: { type: 'string', description: 'ISO 3166-1 alpha-2, or XK.', examples: ['PT'] },
  }),
  phone: OptionalLine(30, 'For the carrier.', '+351 220 000 000'),
}

/** An address in a request. */
export const AddressInput = Closed(members, { title: 'AddressInput' })
export type AddressInput = typeof AddressInput.static

const Text = (description: string) => Type.String({ description })

export const Address = Closed(
  {
    name: Text('Who receives it.'),
    line1: Text('Street and number, or a box.'),
    line2: Nullable(Type.String(), { description: 'Flat, floor or company.' }),
    city: Text('City or town.'),
    region: Nullable(Type.String(), { description: 'State, province or county.' }),
    postalCode: Nullable(Type.String(), { description: 'As its country writes it.' }),
    country: Text('ISO 3166-1 alpha-2, or XK.'),
    phone: Nullable(Type.String(), { description: 'For the carrier.' }),
  },
  { title: 'Address' },
)
export type Address = typeof Address.static

/** The rules that the schema cannot express: the form of postal codes of each country. */
export function findAddressErrors({ country, ...input }: AddressInput): FieldError[] {
  const pointer = '/address/postalCode'
  const postalCode = trimmed(input.postalCode)
  if (postalCode === null)
    return needsPostalCode(country) ? [{ pointer, message: `is required in ${country}` }] : []
  return readPostalCode(country, postalCode) === null
    ? [{ pointer, message: `must be a postal code of ${country}` }]
    : []
}

/** Normalizes an address without errors. */
export function normalizeAddress({ country, ...input }: AddressInput): Address {
  const postalCode = trimmed(input.postalCode)
  return {
    name: input.name.trim(),
    line1: input.line1.trim(),
    line2: trimmed(input.line2),
    city: input.city.trim(),
    region: trimmed(input.region),
    postalCode: postalCode && readPostalCode(country, postalCode),
    country,
    phone: trimmed(input.phone),
  }
}

const trimmed = (text: string | null | undefined): string | null => text?.trim() || null

/** Uses a key that is derived from the signing key of native tokens. */
export const createAddressEncryption = (keys: RotatedKeys) =>
  createRotatingEncryption(keys, 'addresses of orders')

/** `orderId` binds the ciphertext to its order. */
export const encryptAddress = (
  encryption: Encryption,
  { randomBytes }: Pick<Sources, 'randomBytes'>,
  orderId: string,
  address: Address,
) => encryption.encrypt(JSON.stringify(address), orderId, randomBytes(12))

/** Null if there is no address, or if it was encrypted with another key. */
export function decryptAddress(
  encryption: Encryption,
  { id, address }: { id: string; address: string | null },
): Address | null {
  const text = address === null ? null : encryption.decrypt(address, id)
  // Guarantee of the cast: `encryptAddress` wrote it.
  return text === null ? null : (JSON.parse(text) as Address)
}
