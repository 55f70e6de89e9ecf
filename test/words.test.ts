/** Documents, comments and messages avoid words and constructions that need a second reading. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '..')

/** What to write instead. Each pattern matches an unusual word or construction, and nothing else. */
const REFUSED: [pattern: RegExp, instead: string][] = [
  [/\bwhom\b/i, 'that, who'],
  [/\bwhoever\b/i, 'the fan who, anyone who'],
  [/\bbesides?\b/i, 'next to, in addition to'],
  [/\bat the most\b/i, 'at most'],
  [/\banew\b/i, 'again'],
  [/\bupon\b/i, 'on'],
  [/\bseldom\b/i, 'rarely'],
  [/\bdear\b/i, 'expensive'],
  [/\b(hence|whence|thence)\b/i, 'so, from where'],
  [/\b(nevertheless|hitherto|henceforth)\b/i, 'anyway, until now, from now on'],
  [/\b(there|where|here)(of|by|in|to|upon)\b/i, 'of it, by which'],
  [/\ball the same\b/i, 'anyway'],
  [/\bto and fro\b/i, 'back and forth'],
  [/\bfor ever\b/i, 'forever, without end'],
  [/\bin spite of\b/i, 'despite'],
  [/\b(is|are|was|were) told of\b/i, 'learns about'],
  [/\bof (those|one) who(se)?\b/i, 'the subject first: fans who, items with'],
  [/\bof one byte\b/i, 'that send one byte'],
  [/\bthe latest first\b/i, 'newest first'],
  [/\bthe one before\b/i, 'the previous one'],
  [/\bfor good\b/i, 'permanently'],
  [/\b(give|gives|gave|given) back\b/i, 'return, refund, release'],
  [/\b(changes? of|chang(e|es|ed|ing)) hands\b/i, 'a new owner'],
  [/\bany more\b/i, 'no longer'],
  [/\bgo(es)? on\b/i, 'continue'],
  [/\b(for|to|by|from) who\b/i, 'for fans who'],
  [/\bthe newest first\b/i, 'newest first'],
  [/\b(tell|tells|told) of\b/i, 'has, reports'],
  [/\bshuts? out\b/i, 'refuses'],
  [/\bwithout a word\b/i, 'without a message'],
  [/\bothers than\b/i, 'differ from'],
  [/\bearned (in all|ever)\b/i, 'in total, lifetime points'],
  [/\bmade-up\b/i, 'generated, simulated'],
  [/(^|\s)\*{3}[A-Z]/, 'bold text with two asterisks'],
]

/** Generated files follow from others, and these have other languages or the list itself. */
const LEFT_OUT = /generated|\/lang\/(ar|pt)\.ts$|\/texts\/|^test\/words\.test\.ts$/

const files = [
  ...['*.md', 'docs/**/*.md', 'examples/*/README.md', 'src/*/README.md'],
  ...['db', 'examples', 'mock-idp', 'scripts', 'src', 'test'].map(folder => `${folder}/**/*.{ts,tsx}`),
]
  .flatMap(glob => [...new Glob(glob).scanSync(root)])
  .filter(file => !LEFT_OUT.test(file) && !file.includes('node_modules'))
const texts = files.map(file => [file, readFileSync(join(root, file), 'utf8')] as const)

test('there are texts to read', () => {
  expect(files.filter(file => file.endsWith('.md')).length).toBeGreaterThan(60)
  expect(files.length).toBeGreaterThan(1_000)
})

test.each(REFUSED)('no text has %p', (pattern, instead) => {
  const found = texts.flatMap(([file, text]) =>
    pattern.test(text)
      ? text
          .split('\n')
          .flatMap((line, index) => (pattern.test(line) ? `${file}:${index + 1}: write ${instead}` : []))
      : [],
  )
  expect(found).toEqual([])
})
