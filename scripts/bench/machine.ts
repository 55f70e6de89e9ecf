/** Describes the machine and the versions: results are meaningless without them. */
import { Database } from 'bun:sqlite'
import { cpus, freemem, loadavg, release, totalmem, type } from 'node:os'
import manifest from '../../package.json' with { type: 'json' }
import { root } from './process.ts'

const outputOf = (command: string[]) => {
  if (!Bun.which(command[0] ?? '')) return null
  const { stdout, success } = Bun.spawnSync(command, { cwd: root })
  return success ? stdout.toString().trim() : null
}

const gb = (bytes: number) => Math.round(bytes / 2 ** 30)

/** @param folder the folder of the databases */
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
    /** Load average of the minute before the bench. */
    loadBefore: loadavg()[0] ?? 0,
    bun: Bun.version,
    sqlite: version,
    durability: 'WAL, synchronous=FULL',
    /** On `tmpfs` an fsync is free, so writes per second are meaningless. */
    fileSystem: outputOf(['stat', '-f', '-c', '%T', folder]),
    elysia: manifest.dependencies.elysia,
    commit: outputOf(['git', 'rev-parse', '--short', 'HEAD']),
    uncommitted: Boolean(outputOf(['git', 'status', '--porcelain'])),
  }
}
