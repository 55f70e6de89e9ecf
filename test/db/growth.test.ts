/** docs/growth.md states for every table whether its rows are kept. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { postgres } from '../../db/schema/columns.ts'
import { tablesInOrder } from '../../db/schema/shape.ts'
import { tablesOf } from '../../db/schema/tables.ts'

const page = await Bun.file(join(import.meta.dir, '../../docs/growth.md')).text()
/** The rows below the heading, each as its cells. */
const rows = page
  .slice(page.indexOf('## What is kept'))
  .split('\n')
  .filter(line => line.startsWith('| `'))
  .map(line => line.split('|').map(cell => cell.trim()))

test('docs/growth.md has one rule for each table', () => {
  const documented = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  const tables = tablesInOrder(tablesOf(postgres)).map(({ shape }) => shape.name)
  expect(documented.toSorted()).toEqual(tables.toSorted())
})

test('Each rule of docs/growth.md says first whether rows are kept or deleted', () => {
  expect(rows.filter(([, , , rule = '']) => !/^(Kept|Deleted)\b/.test(rule))).toEqual([])
})
