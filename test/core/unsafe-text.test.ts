/** The search for text that cannot be stored: its work and its answer are bounded by the body, not by its faults. */
import { describe, expect, test } from 'bun:test'
import { findUnsafe } from '../../src/core/unsafe-text.ts'

/** Characters that methods of strings process while `work` runs. Unlike time, it is the same on every machine. */
function countCharacters(work: () => void): number {
  const methods = ['replaceAll', 'includes', 'isWellFormed', 'toWellFormed'] as const
  const originals = methods.map(name => String.prototype[name])
  let characters = 0
  for (const [at, name] of methods.entries()) {
    const original = originals[at] as (...args: unknown[]) => unknown
    Object.assign(String.prototype, {
      [name](this: string, ...args: unknown[]) {
        characters += this.length
        return original.apply(this, args)
      },
    })
  }
  try {
    work()
  } finally {
    for (const [at, name] of methods.entries()) Object.assign(String.prototype, { [name]: originals[at] })
  }
  return characters
}

const NUL = '\0'
/** Bodies of about `size` characters, with as many faults as fit. */
const hostile: [string, (size: number) => unknown][] = [
  ['one long name, many faulty items', size => ({ ['k'.repeat(size / 2)]: Array(size / 16).fill(NUL) })],
  [
    'many faulty names',
    size => Object.fromEntries(Array.from({ length: size / 16 }, (_, n) => [`${NUL}${n}`, 1])),
  ],
  ['long names at every level', size => nested(16, 'k'.repeat(size / 32), Array(size / 64).fill(NUL))],
  [
    'inherited names',
    size =>
      Array(size / 32)
        .fill(0)
        .map(() => ({ toString: 1, valueOf: 1 })),
  ],
  ['a long name of escapes', size => ({ ['~'.repeat(size / 2)]: Array(size / 16).fill(NUL) })],
  ['no fault', size => ({ ['k'.repeat(size / 2)]: Array(size / 16).fill('text') })],
]

const nested = (levels: number, name: string, value: unknown): unknown =>
  levels === 0 ? value : { [name]: nested(levels - 1, name, value) }

describe('Text that cannot be stored', () => {
  test.each(hostile)('twice the body is at most twice the work: %s', (_, make) => {
    const works = [32_768, 65_536, 131_072].map(size => {
      const body = make(size)
      return countCharacters(() => findUnsafe(body, 32))
    })
    // Of the errors, which are bounded.
    const fixed = 65_536
    for (const [at, work] of works.slice(1).entries())
      expect(work).toBeLessThanOrEqual(2 * (works[at] ?? 0) + fixed)
    expect(works[0]).toBeLessThanOrEqual(4 * 32_768 + fixed)
  })

  test.each(hostile.slice(0, -1))('at most 20 errors with short places: %s', (_, make) => {
    const errors = findUnsafe(make(65_536), 32)
    expect(errors).toHaveLength(20)
    expect(JSON.stringify(errors).length).toBeLessThan(10_000)
  })

  test('a place that is too long ends with an ellipsis, and a short one is a JSON Pointer', () => {
    const [long, short] = findUnsafe({ ['k'.repeat(1_000)]: [NUL], 'a/b~c': { x: [1, NUL] } }, 32)
    expect(long).toEqual({
      pointer: `/${'k'.repeat(254)}…`,
      message: 'must not contain NUL or lone surrogates',
    })
    expect(short).toMatchObject({ pointer: '/a~1b~0c/x/1' })
  })
})
