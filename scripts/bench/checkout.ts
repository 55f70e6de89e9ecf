/** Another revision of this repository, checked out in a temporary folder with its own dependencies. */
import { join } from 'node:path'
import { outputOf, root } from './process.ts'

export interface Checkout {
  /** As git abbreviates it. */
  commit: string
  path: string
  remove(): Promise<void>
}

/** @throws Error if there is no such revision, or if its dependencies cannot be installed */
export async function checkOut(revision: string, folder: string): Promise<Checkout> {
  const path = join(folder, 'against')
  const git = (...command: string[]) => outputOf(['git', ...command], { core: null, cwd: root })
  const { output } = await git('rev-parse', '--short', '--verify', `${revision}^{commit}`)
  const commit = output.trim()
  const remove = async () => {
    await git('worktree', 'remove', '--force', path)
  }
  try {
    await git('worktree', 'add', '--detach', path, commit)
    await outputOf([process.execPath, 'install', '--frozen-lockfile'], { core: null, cwd: path })
  } catch (error) {
    // Interrupted before it is a working tree, there is nothing to remove.
    await remove().catch(() => {})
    throw error
  }
  return { commit, path, remove }
}

/** Runs a function of a module of the bench in a checkout: `arguments` are JSON. */
export async function runIn(
  { path }: Pick<Checkout, 'path'>,
  module: string,
  name: string,
  ...given: (string | number)[]
): Promise<void> {
  const code = `const { ${name} } = await import('./scripts/bench/${module}'); await ${name}(...${JSON.stringify(given)})`
  await outputOf([process.execPath, '-e', code], { core: null, cwd: path })
}
