/** `TEST_EXECUTABLE=PATH`: tests that start processes run the executable of `bun run build` instead of the sources. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const root = join(import.meta.dir, '../..')

const { TEST_EXECUTABLE } = process.env
export const testedExecutable = TEST_EXECUTABLE === undefined ? null : resolve(root, TEST_EXECUTABLE)
if (testedExecutable !== null && !existsSync(testedExecutable))
  throw new Error(`TEST_EXECUTABLE: there is no ${testedExecutable}; \`bun run build\` makes it`)

export interface Program {
  command: string[]
  cwd: string
  /** The executable finds no other program. */
  PATH: string
}

/** A command of the executable, in an empty folder; without an executable the bundled file, which Bun runs in the repository. */
export function programOf(name: string, file: string, executable = testedExecutable): Program {
  return executable === null
    ? { command: [process.execPath, bundled(file)], cwd: root, PATH: process.env.PATH ?? '' }
    : { command: [executable, name], cwd: emptyFolder(), PATH: '/nonexistent' }
}

let bundles: string | undefined

/** A file of the repository as Bun loads it sooner: most short processes spend half of their CPU time on loading modules. */
export function bundled(file: string): string {
  bundles ??= bundle()
  const path = join(bundles, file.replace(/ts$/, 'js'))
  return existsSync(path) ? path : file
}

function bundle(): string {
  const command = [process.execPath, join(import.meta.dir, 'bundle-programs.ts')]
  const { stdout, stderr, success } = Bun.spawnSync(command, { cwd: root, env: { PATH: process.env.PATH } })
  if (!success) throw new Error(`programs cannot be bundled: ${stderr}`)
  return stdout.toString()
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-empty-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
