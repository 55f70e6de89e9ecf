/** Installs the Express peer on first use, into its own folder and from its own lock file. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { outputOf, root } from './process.ts'

const expressFolder = join(root, 'scripts/bench/peers/express')

const probe =
  "new (require('better-sqlite3'))(':memory:').close(); require('express'); require('jsonwebtoken'); require('pg')"

let installed: Promise<string | undefined> | undefined

/** Resolves to undefined when the peer can run, otherwise to the reason. */
export function installExpress(): Promise<string | undefined> {
  installed ??= install()
  return installed
}

async function install(): Promise<string | undefined> {
  const node = Bun.which('node')
  if (!node || !Bun.which('npm')) return 'Node and npm are not installed'
  const works = () =>
    outputOf([node, '-e', probe], { core: null, cwd: expressFolder }).then(
      () => true,
      () => false,
    )
  if (await works()) return undefined
  process.stderr.write('Installing the peer (its native build takes about a minute)…\n')
  // Uses the headers installed with Node, so that the build downloads nothing.
  const prefix = dirname(dirname(node))
  const headers: Record<string, string> = existsSync(join(prefix, 'include/node/node.h'))
    ? { npm_config_nodedir: prefix }
    : {}
  try {
    await outputOf(['npm', 'ci', '--no-audit', '--no-fund'], { core: null, cwd: expressFolder, env: headers })
  } catch (error) {
    return `it could not be installed: ${error instanceof Error ? error.message.trim().split('\n').at(-1) : error}`
  }
  return (await works())
    ? undefined
    : 'its native module could not be built: it needs a C++ compiler, make and Python'
}
