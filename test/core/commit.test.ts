/** The commit of the sources that run. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commitOf } from '../../src/core/commit.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-commit-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const git = (...parameters: string[]) =>
  Bun.spawnSync([
    'git',
    '-C',
    folder,
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    ...parameters,
  ])
    .stdout.toString()
    .trim()

test('is the commit of HEAD, says whether files were changed, and is empty outside of a repository', () => {
  expect(commitOf(folder)).toBe('')
  git('init', '--quiet')
  expect(commitOf(folder)).toBe('')
  writeFileSync(join(folder, 'file'), 'a')
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
  git('tag', 'v1.0.0')
  const head = git('rev-parse', 'HEAD')
  expect(head).toMatch(/^[0-9a-f]{40}$/)
  expect(commitOf(folder)).toBe(head)
  writeFileSync(join(folder, 'notes'), 'of nobody')
  expect(commitOf(folder)).toBe(head)
  writeFileSync(join(folder, 'file'), 'b')
  expect(commitOf(folder)).toBe(`${head}-dirty`)
  // A release that was unpacked into the repository of another project.
  mkdirSync(join(folder, 'unpacked'))
  expect(commitOf(join(folder, 'unpacked'))).toBe('')
})
