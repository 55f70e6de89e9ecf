/** Addresses of orders: checked by their country, and encrypted in the database. */

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
/** The rules of formats: one for each maximum of characters. */
const RULES = { 20: lineOf(20), 30: lineOf(30), 100: lineOf(100) }

function lineOf(max: number) {
  return (text: string) =>
    text.length <= max && isVisible(text) && !isStacked(text) && !CONTROL.test(text.trim())
}

const Line = (max: keyof typeof RULES, description: string, example: string) =>
  Formatted(`address-line-${max}`, RULES[max], {
    errorNoun: `1 to ${max} characters on one line`,
    documentedAs: { type: 'string', minLength: 1, maxLength: max, description, examples: [example] },
  })

const members = {
  name: Line(100, 'Who receives it.', 'Ana Ruiz'),
  line1: Line(100, 'Street and number, or a box.', 'Rua do Cais 12'),
  line2: Type.Optional(Nullable(Line(100, 'Flat, floor or company.', '3.º esquerdo'))),
  city: Line(100, 'City or town.', 'Porto'),
  region: Type.Optional(Nullable(Line(100, 'State, province or county.', 'Porto'))),
  postalCode: Type.Optional(
    Nullable(
      Line(20, 'Required where mail needs it. Case, spaces and dashes make no difference.', '4050-123'),
    ),
  ),
  country: Formatted('address-country', isCountry, {
    errorNoun: 'a country of ISO 3166-1 alpha-2, or XK',
    documentedAs: { type: 'string', description: 'ISO 3166-1 alpha-2, or XK.', examples: ['PT'] },
  }),
  phone: Type.Optional(Nullable(Line(30, 'For the carrier.', '+351 220 000 000'))),
}

/** Of a request. */
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

/** What the schema cannot express: the form of postal codes of each country. */
export function findAddressErrors({ country, postalCode }: AddressInput): FieldError[] {
  const pointer = '/address/postalCode'
  if (postalCode == null)
    return needsPostalCode(country) ? [{ pointer, message: `is required in ${country}` }] : []
  return readPostalCode(country, postalCode) === null
    ? [{ pointer, message: `must be a postal code of ${country}` }]
    : []
}

/** Of an address without errors. */
export function normalizeAddress({ country, ...input }: AddressInput): Address {
  const trim = (text: string | null | undefined) => text?.trim() ?? null
  return {
    name: input.name.trim(),
    line1: input.line1.trim(),
    line2: trim(input.line2),
    city: input.city.trim(),
    region: trim(input.region),
    postalCode: input.postalCode == null ? null : readPostalCode(country, input.postalCode),
    country,
    phone: trim(input.phone),
  }
}

/** With a key derived from the signing key of native tokens. */
export const createAddressEncryption = (keys: RotatedKeys) =>
  createRotatingEncryption(keys, 'addresses of orders')

/** `orderId` binds the ciphertext to its order. */
export const encryptAddress = (
  encryption: Encryption,
  { randomBytes }: Pick<Sources, 'randomBytes'>,
  orderId: string,
  address: Address,
) => encryption.encrypt(JSON.stringify(address), orderId, randomBytes(12))

/** Null if there is none, or if it was encrypted with another key. */
export function decryptAddress(
  encryption: Encryption,
  { id, address }: { id: string; address: string | null },
): Address | null {
  const text = address === null ? null : encryption.decrypt(address, id)
  // Guarantee of the cast: `encryptAddress` wrote it.
  return text === null ? null : (JSON.parse(text) as Address)
}
