/** Filled databases, created once per size, and copies of them. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SQL } from 'bun'
import { removeSqlite } from '../../db/sqlite/copy.ts'
import { fillDatabase } from './data.ts'

export type Engine = 'sqlite' | 'postgres'

export interface Databases {
  /** Copies the database with `fans` fans. */
  copy(engine: Engine, fans: number): Promise<{ url: string; remove(): Promise<void> }>
  close(): Promise<void>
}

/** @param server a server on which databases may be created; required for `postgres` */
export function createDatabases(
  folder: string,
  server: string | undefined,
  log: (line: string) => void,
): Databases {
  const filled = new Map<string, Promise<string>>()
  const made: string[] = []
  let copies = 0

  async function executeOnServer(statement: string) {
    if (!server)
      throw new Error('PostgreSQL needs BENCH_POSTGRES_URL, a server on which databases may be created.')
    const client = new SQL(server, { max: 1 })
    try {
      await client.unsafe(statement)
    } finally {
      await client.close()
    }
  }

  function urlOf(name: string): string {
    const url = new URL(server ?? '')
    url.pathname = `/${name}`
    return url.href
  }

  async function fill(engine: Engine, fans: number): Promise<string> {
    const name = `matchday_bench_${process.pid}_${fans}`
    const started = performance.now()
    if (engine === 'postgres') {
      await executeOnServer(`CREATE DATABASE ${name}`)
      made.push(name)
    }
    const target = engine === 'postgres' ? name : join(folder, `${name}.db`)
    await fillDatabase(engine === 'postgres' ? urlOf(name) : `sqlite:${target}`, fans)
    log(`${engine} with ${fans} fans: ${((performance.now() - started) / 1000).toFixed(1)} s`)
    return target
  }

  return {
    async copy(engine, fans) {
      const key = `${engine} ${fans}`
      const template = filled.get(key) ?? fill(engine, fans)
      filled.set(key, template)
      const from = await template
      const number = ++copies
      if (engine === 'postgres') {
        const name = `${from}_${number}`
        await executeOnServer(`CREATE DATABASE ${name} TEMPLATE ${from}`)
        made.push(name)
        return { url: urlOf(name), remove: () => executeOnServer(`DROP DATABASE ${name} WITH (FORCE)`) }
      }
      const path = join(folder, `copy-${number}.db`)
      await copyFile(from, path)
      return {
        url: `sqlite:${path}`,
        remove: async () => removeSqlite(path),
      }
    },
    async close() {
      for (const name of made) await executeOnServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}
