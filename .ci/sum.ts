/**
 * Sums the JUnit reports of the two halves of the suite: `bun .ci/sum.ts FIRST SECOND`. Writes a line for each half and for
 * each test that neither ran or that both ran, and last `PASSED SKIPPED TWICE`.
 */
import { readFileSync } from 'node:fs'

interface Half {
  /** How often each test ran, by file and title. */
  ran: Map<string, number>
  skipped: Set<string>
  failed: number
}

const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''

function readHalf(path: string): Half {
  const half: Half = { ran: new Map(), skipped: new Set(), failed: 0 }
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
    if (content.includes('<skipped')) half.skipped.add(test)
    else half.ran.set(test, (half.ran.get(test) ?? 0) + 1)
    if (/<(failure|error)\b/.test(content)) half.failed++
  }
  return half
}

const size = ({ ran }: Half) => [...ran.values()].reduce((sum, times) => sum + times, 0)
const say = (line: string) => process.stdout.write(`${line}\n`)
const plain = (text: string) =>
  text.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

const [first = '', second = ''] = process.argv.slice(2)
const halves = [readHalf(first), readHalf(second)] as const
const [without, onServer] = halves
for (const [name, half] of [
  ['without a server', without],
  ['on the PostgreSQL server', onServer],
] as const)
  say(`${name}: ${size(half) - half.failed} passed, ${half.failed} failed`)

const skipped = [...without.skipped].filter(test => !onServer.ran.has(test) && !isNamedForServer(test))
const twice = [...without.ran.keys()].filter(test => onServer.ran.has(test))
for (const test of skipped) say(`skipped: ${plain(test)}`)
for (const test of twice) say(`ran in both halves: ${plain(test)}`)
const passed = halves.reduce((sum, half) => sum + size(half) - half.failed, 0)
say(`${passed} ${skipped.length} ${twice.length}`)

/** Its title says that it needs a server: with one it has another. */
function isNamedForServer(test: string): boolean {
  const reason = ' (skipped: TEST_POSTGRES_URL is not set)'
  return test.includes(reason) && onServer.ran.has(test.replaceAll(reason, ''))
}
