/** Postal codes: read in the spellings that people use, and written as their country writes them. */

/**
 * Shapes of postal codes with the countries that use them. `#` is a digit, `@` a letter, `*` a digit or a letter, and every
 * other character is literal. Shapes are wider than the codes in use, because these change. Countries without a row have no
 * codes, or mail does not need them.
 */
const SHAPES: [shape: string, countries: string][] = [
  ['###', 'BH FO GN IS LS MG OM PG TW'],
  [
    '####',
    'AF AL AM AR AT AU AZ BD BE BG BH CC CH CR CV CX CY DK ET GE GW HM HT HU LB LR LU MD MK MV MZ NE NF NO NZ PH PT PY SI SJ TN TZ VE ZA',
  ],
  [
    '#####',
    'BA BT CR CU DE DO DZ EE EG EH ES FI FR GT HN HR ID IL IQ IR IT JO KE KH KR KW LA LB LK LT MA MM MN MU MV MX MY NA NI NP PE PK RS SA SD SN SO SV TH TR TW TZ UA US UY VN XK ZM',
  ],
  ['### ##', 'CZ GR SE SK'],
  ['######', 'AM BY CN CO EC IN KG KH KZ MN NG PY RO RS RU SG TJ TM TW UZ VN'],
  ['#######', 'CL EG IL'],
  ['##-###', 'PL'],
  ['###-####', 'CR JP'],
  ['####-##', 'MZ'],
  ['####-###', 'CV PT'],
  ['#####-###', 'BR'],
  ['#####-####', 'SA US'],
  ['#####-#####', 'IR'],
  ['#### ####', 'LB'],
  ['###-###-#', 'NI'],
  ['#### @@', 'NL'],
  ['####-@', 'VE'],
  ['@###', 'SZ'],
  ['@####', 'AR MU'],
  ['@####@', 'EC'],
  ['@####@@@', 'AR'],
  ['@##@#@#', 'KZ'],
  ['@@####', 'BN HN'],
  ['@@ #####', 'SO'],
  ['@@ **', 'BM'],
  ['@@@ ##', 'MT'],
  ['@@@ ###', 'MT'],
  ['@@@ ####', 'MT'],
  ['###@@###', 'MU'],
  ['@#@ #@#', 'CA'],
  ['@## ****', 'IE'],
  ['D6W ****', 'IE'],
  ['@# #@@', 'GB'],
  ['@## #@@', 'GB'],
  ['@#@ #@@', 'GB'],
  ['@@# #@@', 'GB'],
  ['@@## #@@', 'GB'],
  ['@@#@ #@@', 'GB'],
  ['GIR #@@', 'GB'],
  ['BFPO #', 'GB'],
  ['BFPO ##', 'GB'],
  ['BFPO ###', 'GB'],
  ['BFPO ####', 'GB'],
  ['GY# #@@', 'GG'],
  ['GY## #@@', 'GG'],
  ['IM# #@@', 'IM'],
  ['IM## #@@', 'IM'],
  ['JE# #@@', 'JE'],
  ['JE## #@@', 'JE'],
  // Parts of the postal systems of other countries.
  ['00###', 'PR VI'],
  ['00###-####', 'PR VI'],
  ['96###', 'AS FM GU MH MP PW UM'],
  ['96###-####', 'AS FM GU MH MP PW UM'],
  ['97###', 'BL GF GP MF MQ PM RE YT'],
  ['98###', 'BL GF GP MC MF MQ NC PF PM RE WF'],
  ['22###', 'AX'],
  ['39##', 'GL'],
  ['94##', 'LI'],
  ['8####', 'ME'],
  ['4789#', 'SM'],
  ['00120', 'VA'],
  // With the letters of the country code.
  ['AD###', 'AD'],
  ['AI-2640', 'AI'],
  ['BB#####', 'BB'],
  ['CP ####', 'SV'],
  ['KY#-####', 'KY'],
  ['LV-####', 'LV'],
  ['VC####', 'VC'],
  ['VG####', 'VG'],
  ['CALLAO #', 'PE'],
  ['CALLAO ##', 'PE'],
  ['LIMA #', 'PE'],
  ['LIMA ##', 'PE'],
  // One code for everybody.
  ['ASCN 1ZZ', 'SH'],
  ['BBND 1ZZ', 'IO'],
  ['FIQQ 1ZZ', 'FK'],
  ['GX11 1AA', 'GI'],
  ['PCRN 1ZZ', 'PN'],
  ['SIQQ 1ZZ', 'GS'],
  ['STHL 1ZZ', 'SH'],
  ['TDCU 1ZZ', 'SH'],
  ['TKCA 1ZZ', 'TC'],
]

/** Countries where mail needs a postal code. */
const REQUIRED = new Set(
  'AS AT AU AX BE BL BR CA CH CN CZ DE DK EE ES FI FK FM FR GB GF GG GL GP GR GS GU HU IM IN IO IT JE JP KR LI LT LU LV MF MH MP MQ MX MY NC NL NO NZ PF PL PM PN PR PT PW RE RO RU SE SG SH SJ SK SM TC TR TW UA US VI WF YT ZA'.split(
    ' ',
  ),
)

/** Prefixes of codes other than the code of ISO 3166-1: signs of vehicles, signs of a parent country, labels. */
const SIGNS: [sign: string, countries: string][] = [
  ['A', 'AT'],
  ['B', 'BE'],
  ['CH', 'LI'],
  ['CP', 'CU SV'],
  ['D', 'DE'],
  ['DK', 'FO GL'],
  ['E', 'ES'],
  ['F', 'BL FR GF GP MC MF MQ NC PF PM RE WF YT'],
  ['FI', 'AX'],
  ['FIN', 'AX FI'],
  ['FL', 'LI'],
  ['FR', 'BL GF GP MC MF MQ NC PF PM RE WF YT'],
  ['H', 'HU'],
  ['I', 'IT SM VA'],
  ['IT', 'SM VA'],
  ['L', 'LU'],
  ['N', 'NO SJ'],
  ['NO', 'SJ'],
  ['P', 'PT'],
  ['PC', 'OM'],
  ['RKS', 'XK'],
  ['RSM', 'SM'],
  ['S', 'SE'],
  ['SCV', 'VA'],
  ['SLO', 'SI'],
  ['UK', 'GB GG IM JE'],
  ['USA', 'US'],
]

interface Shape {
  text: string
  /** Matches codes without separators. */
  pattern: RegExp
  write: (compact: string) => string
}

const SYMBOLS: Record<string, string> = { '#': '[0-9]', '@': '[A-Z]', '*': '[A-Z0-9]' }

function readShape(shape: string): Shape {
  const pattern = shape.replace(/[ -]/g, '').replace(/[#@*]/g, symbol => SYMBOLS[symbol] ?? symbol)
  return {
    text: shape,
    pattern: new RegExp(`^${pattern}$`),
    write(compact) {
      let at = 0
      return shape.replace(/[^ -]/g, () => compact.charAt(at++))
    },
  }
}

const shapes = groupByCountry(SHAPES.map(([shape, countries]) => [readShape(shape), countries]))
const signs = groupByCountry(SIGNS)

function groupByCountry<T>(rows: [value: T, countries: string][]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const [value, countries] of rows) {
    for (const country of countries.split(' ')) groups.getOrInsert(country, []).push(value)
  }
  return groups
}

export const needsPostalCode = (country: string): boolean => REQUIRED.has(country)

/**
 * The code as its country writes it. Ignores case, spaces, dashes, the width and script of digits, and a sign of the country
 * before the code. Returns the text in capitals if the country has no known codes.
 *
 * Null: the text cannot be a postal code of the country.
 */
export function readPostalCode(country: string, text: string): string | null {
  const capitals = inAsciiDigits(text.normalize('NFKC')).toUpperCase().trim()
  const known = shapes.get(country)
  if (!known) return capitals
  const compact = capitals.replace(/[^\p{L}\p{M}\p{N}]/gu, '')
  for (const candidate of candidatesOf(country, compact, known)) {
    const shape = known.find(({ pattern }) => pattern.test(candidate))
    if (shape) return shape.write(candidate)
  }
  return null
}

/** Possible readings of the code: with and without a sign before it. */
function* candidatesOf(country: string, compact: string, known: Shape[]) {
  yield compact
  for (const sign of [country, ...(signs.get(country) ?? [])]) {
    if (compact.startsWith(sign)) yield compact.slice(sign.length)
    if (known.some(({ text }) => text.startsWith(sign))) yield sign + compact
  }
}

/** Converts digits of other scripts, which are runs of ten characters from zero to nine. */
const inAsciiDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, digit => {
    const code = digit.codePointAt(0) ?? 0
    let before = code
    while (/\p{Nd}/u.test(String.fromCodePoint(before - 1))) before--
    return String((code - before) % 10)
  })
