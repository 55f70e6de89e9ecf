/**
 * Sums the JUnit reports of the parts of the suite: `bun .ci/sum.ts REPORT...`. Writes a line for each part and for each test
 * that failed, that no part ran or that two ran, and last `PASSED SKIPPED TWICE`.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

interface Part {
  name: string
  /** How often each test ran, by file and title. */
  ran: Map<string, number>
  skipped: Set<string>
  failed: string[]
}

const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''

function readPart(path: string): Part {
  const part: Part = { name: basename(path, '.xml'), ran: new Map(), skipped: new Set(), failed: [] }
  const report = readFileSync(path, 'utf8')
  for (const [, tag = '', content = ''] of report.matchAll(
    /<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const title = [attribute(` ${tag}`, 'classname'), attribute(` ${tag}`, 'name')]
      .filter(Boolean)
      .join(' > ')
    const test = `${attribute(` ${tag}`, 'file')}: ${title}`
    // Bun also lists the hooks of a suite that is skipped.
    if (test.endsWith('(unnamed)') && !content.includes('<failure')) continue
    if (content.includes('<skipped')) part.skipped.add(test)
    else part.ran.set(test, (part.ran.get(test) ?? 0) + 1)
    if (/<(failure|error)\b/.test(content)) part.failed.push(test)
  }
  return part
}

const size = ({ ran }: Part) => [...ran.values()].reduce((sum, times) => sum + times, 0)
const say = (line: string) => process.stdout.write(`${line}\n`)
const plain = (text: string) =>
  text.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

const parts = process.argv.slice(2).map(readPart)
for (const part of parts)
  say(`${part.name}: ${size(part) - part.failed.length} passed, ${part.failed.length} failed`)

const times = new Map<string, number>()
for (const { ran } of parts) for (const test of ran.keys()) times.set(test, (times.get(test) ?? 0) + 1)
const skipped = new Set(parts.flatMap(part => [...part.skipped].filter(test => !runsElsewhere(test))))
const twice = [...times].flatMap(([test, count]) => (count > 1 ? test : []))
for (const test of skipped) say(`skipped: ${plain(test)}`)
for (const { name, failed } of parts) for (const test of failed) say(`failed (${name}): ${plain(test)}`)
for (const test of twice) say(`ran in two parts: ${plain(test)}`)
const passed = parts.reduce((sum, part) => sum + size(part) - part.failed.length, 0)
say(`${passed} ${skipped.size} ${twice.length}`)

/** A title that says what a test needs is another one where that is given. */
function runsElsewhere(test: string): boolean {
  return times.has(test.replaceAll(/ \(skipped: TEST_\w+ is not set\)/g, ''))
}
