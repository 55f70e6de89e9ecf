/** What was measured on, and with what: a number without these is none. */
import { Database } from 'bun:sqlite'
import { cpus, freemem, loadavg, release, totalmem, type } from 'node:os'
import manifest from '../../package.json' with { type: 'json' }
import { root } from './process.ts'

const said = (command: string[]) => {
  if (!Bun.which(command[0] ?? '')) return null
  const { stdout, success } = Bun.spawnSync(command, { cwd: root })
  return success ? stdout.toString().trim() : null
}

const gb = (bytes: number) => Math.round(bytes / 2 ** 30)

/** @param folder where the databases are */
export function describeMachine(folder: string) {
  const sqlite = new Database(':memory:')
  const { version } = sqlite.query('SELECT sqlite_version() AS version').get() as { version: string }
  sqlite.close()
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: gb(totalmem()),
    freeMemoryGb: gb(freemem()),
    system: `${type()} ${release()}`,
    /** Of the last minute, before the bench began: others at work make its numbers worse. */
    loadBefore: loadavg()[0] ?? 0,
    bun: Bun.version,
    node: said(['node', '--version']),
    sqlite: version,
    durability: 'WAL, synchronous=FULL',
    /** On `tmpfs` an fsync costs nothing, and writes per second mean little. */
    fileSystem: said(['stat', '-f', '-c', '%T', folder]),
    elysia: manifest.dependencies.elysia,
    commit: said(['git', 'rev-parse', '--short', 'HEAD']),
    uncommitted: Boolean(said(['git', 'status', '--porcelain'])),
  }
}
