/** The commit of the sources that run: `bun run build` writes it into the executable, a checkout asks git. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from './attempt.ts'

/** In the executable alone. */
declare const BUILD_COMMIT: string

let commit: string | undefined

/** As `commitOf`. Read once: a checkout that changes later does not change the process. */
export function readCommit(): string {
  commit ??= typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : commitOf(join(import.meta.dir, '../..'))
  return commit
}

/** In hex, followed by `-dirty` if files of the commit were changed. Empty without a repository, or without git. */
export function commitOf(root: string): string {
  // In a folder above, it would be the commit of another project.
  if (!existsSync(join(root, '.git'))) return ''
  const command = ['git', '-C', root, 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
  const described = attempt(() => Bun.spawnSync(command, { stderr: 'ignore' }))
  return described?.exitCode === 0 ? described.stdout.toString().trim() : ''
}
