/** docs/law.md answers nothing that no test shows. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Delivers } from '../src/play/shop/delivers.ts'
import { root } from './support/dev.ts'
import { onEachEngine } from './support/world.ts'

const HEAD = '| Question | What Matchday does | What stays with the club | Test |'
const page = readFileSync(join(root, 'docs/law.md'), 'utf8')
const rows = page
  .split(HEAD)
  .slice(1)
  .flatMap(table => table.trim().split('\n\n')[0]?.split('\n').slice(1) ?? [])

test('every answer names a test that exists, or says that Matchday does not do it', () => {
  expect(rows.length).toBeGreaterThan(20)
  for (const row of rows) {
    const [, , answer = '', , shown = ''] = row.split('|').map(cell => cell.trim())
    const [, file = '', title = ''] = /^`(test\/[^`]+\.test\.ts)`: (.+)$/.exec(shown) ?? []
    if (answer.startsWith('Not in Matchday')) expect(shown, row).toBe('')
    else expect(readFileSync(join(root, file), 'utf8'), row).toContain(title)
  }
})

onEachEngine('Points', world => {
  test('points cannot be bought', async () => {
    expect(Object.keys(Delivers.properties)).toEqual(['packId', 'collectibleId', 'file', 'credit'])
    const fan = await world.fan()
    const refused = await fan.post('/api/cash/top-ups', { amount: 100, currency: 'POINTS' })
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/currency'])
  })
})
