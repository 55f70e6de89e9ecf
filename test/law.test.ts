/** docs/law.md says nothing that no test shows. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { Delivers } from '../src/play/shop/delivers.ts'
import { root } from './support/dev.ts'
import { onEachEngine } from './support/world.ts'

const page = readFileSync(join(root, 'docs/law.md'), 'utf8')
const blocks = page.split('\n\n').filter(block => !/^(#|<!--)/.test(block))

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map(cell => cell.trim())

/** A link or a part of code has no end of a sentence, and an abbreviation of an article none of its own. */
const sentencesOf = (text: string) =>
  text
    .replaceAll('\n', ' ')
    .split(/(?<=[.:]) +(?=[A-Z])/)
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== '')

const NO_CLAIMS = [
  'Question',
  'Country',
  'Rule, as of November 2026',
  'Place',
  'What',
  'What stays with the club',
  'Test',
]
/** How others keep what they got, and where to read more. */
const isOfOthers = (sentence: string) => /^(As (that|the club)|By the contract|See \[)/.test(sentence)

const tables = blocks
  .filter(block => block.startsWith('|'))
  .map(block => {
    const [head = '', , ...lines] = block.trim().split('\n')
    const heads = cellsOf(head)
    const claims = heads.flatMap((name, index) => (NO_CLAIMS.includes(name) ? [] : index))
    return { heads, rows: lines.map(line => ({ line, cells: cellsOf(line), claims })) }
  })
const rows = tables.flatMap(each => each.rows)

function requireTest(shown: string, from: string): void {
  const [, file = '', title = ''] = /^`(test\/[^`]+\.test\.ts)`: (.+)$/.exec(shown) ?? []
  expect(file, `${shown} of ${from}`).not.toBe('')
  expect(readFileSync(join(root, file), 'utf8'), from).toContain(title)
}

test('every table of the page names tests in its last column', () => {
  expect(rows.length).toBeGreaterThan(50)
  for (const { heads } of tables) expect(heads.at(-1)).toBe('Test')
})

test('every sentence of a table has a test that exists, or says that Matchday does not do it', () => {
  for (const { line, cells, claims } of rows) {
    const shown = (cells.at(-1) ?? '').split('<br>').filter(each => each !== '')
    const said = claims.flatMap(index => sentencesOf(cells[index] ?? '')).filter(one => !isOfOthers(one))
    expect(said, line).not.toBeEmpty()
    if (said.some(sentence => sentence.startsWith('Not in Matchday'))) expect(shown, line).toEqual([])
    else expect(shown.length, line).toBeGreaterThanOrEqual(said.length)
    for (const each of shown) requireTest(each, line)
  }
})

const layout =
  '`test/client/demo-layout.browser.test.ts`: no screen overflows: narrow or wide, in large type, from right to left'
const screens = '`test/console/screens.browser.test.ts`: has no barrier and fits'

/** What sentences outside of the tables are about: the page, the club, a limit of the product, or what tests show. */
const PROSE: Record<string, 'page' | 'club' | 'limit' | string[]> = {
  'What laws ask of a club’s app, what Matchday does for it, and what stays with the club.': 'page',
  'This page is no legal advice: which laws apply, and whether the texts and settings of a club are sufficient, is a question for its lawyers.':
    'page',
  'The last column names the tests that show the answer.': 'page',
  'Countries differ, and change:': 'page',
  'Matchday runs where the club runs it.': [
    '`test/law-data.test.ts`: Without further settings the application connects to no host but the identity provider',
  ],
  'For the club’s privacy notice:': 'page',
  'Each place from the identity provider on is a recipient or processor for the club to list, with its country.':
    'club',
  'Devices of fans read pictures of other hosts themselves, so those hosts learn their network addresses.': [
    '`test/law-data.test.ts`: Pages take scripts, styles, fonts and data of no other host, and pictures alone may be elsewhere',
  ],
  'The club’s own app, its texts and its pictures are its responsibility (Directive (EU) 2019/882).': 'club',
  '**Accessibility statement**, for a club that uses these pages as they are, to be completed with its name and contact:':
    'club',
  '- The tests look for barriers with the default rules of axe-core, which follow WCAG 2.1, levels A and AA.':
    ['`test/law.test.ts`: the default rules of axe-core are those of WCAG 2.1, levels A and AA'],
  'They found none of any impact in the console, in light and dark, on a desktop and on a phone, and none of serious or critical impact in the example app and on the page of withdrawals.':
    [
      screens,
      layout,
      '`test/play/shop/withdrawal-page.browser.test.ts`: is walked by keyboard to its receipt, has no serious barrier and does not scroll sideways',
    ],
  '- The pages work with the keyboard, at 320 px and in large type, without movement for those who turn it off, and from right to left.':
    [
      layout,
      '`test/client/demo.browser.test.ts`: a claimed reward is redeemed by keyboard alone',
      '`test/console/overview.browser.test.ts`: is walked by keyboard alone',
      '`test/client/demo-rounds.browser.test.ts`: a round that opens shows itself, is right to left in Arabic, and moves nothing if the fan wants no motion',
    ],
  '- A program does not find every barrier.': 'limit',
  'No person with a disability has tested the pages, and no screen reader was run: the club should do both.':
    'limit',
}

test('every sentence outside of the tables has a test, or claims nothing of the product', () => {
  const said = blocks
    .filter(block => !block.startsWith('|'))
    .flatMap(block => block.split(/\n(?=- )/).flatMap(sentencesOf))
  expect(said.map(sentence => sentence.replaceAll(/ {2,}/g, ' '))).toEqual(Object.keys(PROSE))
  for (const [sentence, shown] of Object.entries(PROSE))
    if (Array.isArray(shown)) for (const each of shown) requireTest(each, sentence)
})

test('the default rules of axe-core are those of WCAG 2.1, levels A and AA', () => {
  // Not in its types.
  const { _audit: audit } = axe as unknown as { _audit: { rules: { tags: string[]; enabled: boolean }[] } }
  const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']
  const off = audit.rules.filter(
    ({ tags, enabled }) =>
      !(enabled || tags.includes('deprecated')) && tags.some(tag => levels.includes(tag)),
  )
  expect(off).toEqual([])
  for (const level of levels) expect(axe.getRules([level])).not.toBeEmpty()
})

onEachEngine('Points', world => {
  test('points cannot be bought', async () => {
    expect(Object.keys(Delivers.properties)).toEqual(['packId', 'collectibleId', 'file', 'credit'])
    const fan = await world.fan()
    const refused = await fan.post('/api/cash/top-ups', { amount: 100, currency: 'POINTS' })
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/currency'])
  })
})
