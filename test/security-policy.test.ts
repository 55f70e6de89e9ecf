/** docs/security.md guarantees nothing that no test shows. */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './support/dev.ts'

const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
const rows = page
  .slice(page.indexOf('## OWASP API'))
  .split('\n')
  .filter(line => /^\| (?!---)/.test(line) && !line.endsWith('| Shown by |'))

const filesOf = (row: string) => [...row.matchAll(/`([^`]+\.ts)`/g)].map(([, file]) => file ?? '')

test('every row of the tables names tests, and every named test exists', () => {
  expect(rows.length).toBeGreaterThan(20)
  for (const row of rows) {
    expect(filesOf(row), row).not.toBeEmpty()
    for (const file of filesOf(row)) {
      expect(file, row).toMatch(/^test\/.+\.test\.ts$/)
      expect(existsSync(join(root, file)), file).toBe(true)
    }
  }
})

test('all ten risks of the OWASP API Security Top 10 are answered, in order', () => {
  const risks = rows.flatMap(row => /^\| (API\d+) /.exec(row)?.[1] ?? [])
  expect(risks).toEqual(Array.from({ length: 10 }, (_, n) => `API${n + 1}`))
})
