/** Filled databases, created once per size, and copies of them. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SQL } from 'bun'
import { removeSqlite } from '../../db/sqlite/copy.ts'
import { type Checkout, runIn } from './checkout.ts'
import { fillDatabase } from './data.ts'

export type Engine = 'sqlite' | 'postgres'

export interface Databases {
  /** Copies the database with `fans` fans. `of`: with the schema of this checkout, filled by its code. */
  copy(engine: Engine, fans: number, of?: Checkout): Promise<{ url: string; remove(): Promise<void> }>
  /** An empty database on the server. */
  empty(): Promise<{ url: string; remove(): Promise<void> }>
  /** Drops all databases on the server. Nothing is created after it. A repeat waits for the first call. */
  close(): Promise<void>
}

/** @param server a server on which databases may be created; required for `postgres` */
export function createDatabases(
  folder: string,
  server: string | undefined,
  log: (line: string) => void,
): Databases {
  const filled = new Map<string, Promise<string>>()
  /** Databases on the server that exist, or are being created. */
  const made = new Set<string>()
  const creations = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined
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

  /** `clause`: such as the template. */
  async function create(name: string, clause = ''): Promise<void> {
    if (closing) throw new Error('The bench has ended.')
    made.add(name)
    const creation = executeOnServer(`CREATE DATABASE ${name} ${clause}`)
    creations.add(creation)
    await creation.finally(() => creations.delete(creation))
  }

  async function drop(name: string): Promise<void> {
    await executeOnServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    made.delete(name)
  }

  /** What is being created when the bench is interrupted would otherwise appear later. */
  async function dropAll(): Promise<void> {
    await Promise.allSettled(creations)
    for (const name of made) await drop(name)
  }

  function urlOf(name: string): string {
    const url = new URL(server ?? '')
    url.pathname = `/${name}`
    return url.href
  }

  async function fill(engine: Engine, fans: number, of: Checkout | undefined): Promise<string> {
    const name = `matchday_bench_${process.pid}_${fans}${of ? '_against' : ''}`
    const started = performance.now()
    if (engine === 'postgres') await create(name)
    const target = engine === 'postgres' ? name : join(folder, `${name}.db`)
    const url = engine === 'postgres' ? urlOf(name) : `sqlite:${target}`
    await (of ? runIn(of, 'data.ts', 'fillDatabase', url, fans) : fillDatabase(url, fans))
    log(
      `${engine} with ${fans} fans${of ? ` at ${of.commit}` : ''}: ${((performance.now() - started) / 1000).toFixed(1)} s`,
    )
    return target
  }

  return {
    async copy(engine, fans, of) {
      const key = `${engine} ${fans} ${of?.path}`
      const template = filled.get(key) ?? fill(engine, fans, of)
      filled.set(key, template)
      const from = await template
      const number = ++copies
      if (engine === 'postgres') {
        const name = `${from}_${number}`
        await create(name, `TEMPLATE ${from}`)
        return { url: urlOf(name), remove: () => drop(name) }
      }
      const path = join(folder, `copy-${number}.db`)
      await copyFile(from, path)
      return {
        url: `sqlite:${path}`,
        remove: async () => removeSqlite(path),
      }
    },
    close: () => (closing ??= dropAll()),
    async empty() {
      const name = `matchday_bench_${process.pid}_empty_${++copies}`
      await create(name)
      return { url: urlOf(name), remove: () => drop(name) }
    },
  }
}
