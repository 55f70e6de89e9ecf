/** PGlite from files of one that was started before: to load them takes a seventh of the time to initialise and migrate one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { expectedMigrations } from '../../db/expected-schema.ts'
import { applyMigrations } from '../../db/migrate.ts'
import { root } from './executable.ts'
import { keptFile } from './kept-file.ts'

/** As released by PGlite, or with the migrations. */
type Content = 'empty' | 'migrated'

const templates = new Map<Content, Promise<Blob>>()

export async function openPglite(content: Content): Promise<PGlite> {
  const template = templates.get(content) ?? readTemplate(content)
  templates.set(content, template)
  return PGlite.create({ loadDataDir: await template })
}

async function readTemplate(content: Content): Promise<Blob> {
  const migrations = content === 'empty' ? [] : expectedMigrations('postgres')
  // The lock file has the version of PGlite.
  const key = readFileSync(join(root, 'bun.lock'), 'utf8') + JSON.stringify(migrations)
  const path = await keptFile(`pglite-${content}`, key, async draft => {
    const client = content === 'empty' ? await PGlite.create() : await openPglite('empty')
    if (content === 'migrated') await migrate(client)
    await Bun.write(draft, await client.dumpDataDir('none'))
    await client.close()
  })
  return new Blob([readFileSync(path)])
}

const migrate = (client: PGlite) =>
  client.transaction(async transaction => {
    await applyMigrations(
      'postgres',
      async (statement, parameters) =>
        (await transaction.query<Record<string, unknown>>(statement, parameters)).rows,
    )
  })
