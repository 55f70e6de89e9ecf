/** Where the files of pictures are: a directory, or a bucket of an S3-compatible service. */

import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sources } from '../../../db/index.ts'
import { errorCode } from '../../core/error-code.ts'
import type { UploadsConfig } from '../../platform/config/uploads.ts'

export interface PictureStore {
  /** Writes the whole file or nothing. A file with the same name has the same content. */
  put(name: string, bytes: Buffer): Promise<void>
  /** Null if there is no such file. */
  get(name: string): Promise<Uint8Array<ArrayBuffer> | null>
  /** Also if there is no such file. */
  delete(name: string): Promise<void>
  /** All files, also those that an interrupted `put` has left. */
  list(): AsyncIterable<ListedFile>
}

interface ListedFile {
  name: string
  bytes: number
  modifiedAt: Date
}

export const createPictureStore = (config: UploadsConfig, sources: Pick<Sources, 'newId'>): PictureStore =>
  config.kind === 'directory' ? inDirectory(config.path, sources) : inBucket(config)

function inDirectory(folder: string, { newId }: Pick<Sources, 'newId'>): PictureStore {
  // Two levels: some file systems are slow with very many files in one folder.
  const folderOf = (name: string) => join(folder, name.slice(0, 2))
  const pathOf = (name: string) => join(folderOf(name), name)
  return {
    async put(name, bytes) {
      await mkdir(folderOf(name), { recursive: true })
      const draft = `${pathOf(name)}.${newId()}`
      try {
        const file = await open(draft, 'wx')
        // The row that names the file survives a power cut, and so does the file.
        await file
          .writeFile(bytes)
          .then(() => file.sync())
          .finally(() => file.close())
        await rename(draft, pathOf(name))
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    },
    async get(name) {
      const file = Bun.file(pathOf(name))
      return (await file.exists()) ? file.bytes() : null
    },
    delete: name => rm(pathOf(name), { force: true }),
    async *list() {
      for (const part of await readdirIfAny(folder)) {
        if (!/^[0-9a-f]{2}$/.test(part)) continue
        for (const name of await readdirIfAny(join(folder, part))) {
          // Null: it was deleted meanwhile.
          const stats = await stat(pathOf(name)).catch(() => null)
          if (stats?.isFile()) yield { name, bytes: stats.size, modifiedAt: stats.mtime }
        }
      }
    },
  }
}

/** Empty for a directory that does not exist yet. */
async function readdirIfAny(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

function inBucket(config: Extract<UploadsConfig, { kind: 's3' }>): PictureStore {
  const { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey } = config
  const client = new Bun.S3Client({
    bucket,
    accessKeyId,
    secretAccessKey,
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? {} : { region }),
  })
  const fileOf = (name: string) => client.file(prefix + name)
  return {
    async put(name, bytes) {
      await fileOf(name).write(bytes, { type: 'image/webp' })
    },
    async get(name) {
      try {
        return await fileOf(name).bytes()
      } catch (error) {
        if (errorCode(error) === 'NoSuchKey') return null
        throw error
      }
    },
    async delete(name) {
      await fileOf(name).delete()
    },
    async *list() {
      let startAfter: string | undefined
      for (;;) {
        const page = await client.list({ prefix, ...(startAfter === undefined ? {} : { startAfter }) })
        for (const { key, size = 0, lastModified = '' } of page.contents ?? [])
          yield { name: key.slice(prefix.length), bytes: size, modifiedAt: new Date(lastModified) }
        startAfter = page.contents?.at(-1)?.key
        if (!page.isTruncated || startAfter === undefined) return
      }
    },
  }
}
