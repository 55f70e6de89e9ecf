/** `TEST_EXECUTABLE=PATH`: tests that start processes run the executable of `bun run build` instead of the sources. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { markUsed } from './kept-file.ts'

export const root = join(import.meta.dir, '../..')

const { TEST_EXECUTABLE } = process.env
export const testedExecutable = TEST_EXECUTABLE === undefined ? null : resolve(root, TEST_EXECUTABLE)
if (testedExecutable !== null && !existsSync(testedExecutable))
  throw new Error(`TEST_EXECUTABLE: there is no ${testedExecutable}; \`bun run build\` makes it`)

/**
 * For processes that tests start. Most end within a second, a third of which would be compilation of functions that run
 * a few times more: JavaScriptCore compiles later (its defaults: 500 and 1,000). The allocator gives nothing back.
 */
export const shortLivedEnv: Record<string, string> = {
  BUN_JSC_thresholdForJITAfterWarmUp: '5000',
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '20000',
  MIMALLOC_PURGE_DELAY: '-1',
}

export interface Program {
  command: string[]
  cwd: string
  /** The executable finds no other program. */
  PATH: string
}

/** A command of the executable, in an empty folder; without an executable the file, in the repository. */
export function programOf(name: string, file: string, executable = testedExecutable): Program {
  return executable === null
    ? { command: commandOf(file), cwd: root, PATH: process.env.PATH ?? '' }
    : { command: [executable, name], cwd: emptyFolder(), PATH: '/nonexistent' }
}

let built: { path: string; programs: string[] } | undefined

/** Runs a file of the repository, with bytecode if it can: most of the CPU time of short processes is loading modules. */
export function commandOf(file: string): string[] {
  built ??= buildPrograms()
  markUsed(built.path)
  return built.programs.includes(file) ? [built.path, file] : [process.execPath, file]
}

function buildPrograms(): { path: string; programs: string[] } {
  const command = [process.execPath, join(import.meta.dir, 'build-programs.ts')]
  const { stdout, stderr, success } = Bun.spawnSync(command, { cwd: root, env: { PATH: process.env.PATH } })
  if (!success) throw new Error(`programs cannot be built: ${stderr}`)
  return JSON.parse(stdout.toString())
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-empty-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
