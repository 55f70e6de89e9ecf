/** The stores of pictures: a directory, and an S3-compatible server. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPictureStore } from '../../../src/club/pictures/store.ts'
import { realSources } from '../../../src/core/sources.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { sweepPictures } from '../../../src/operate/admin/sweep-pictures.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { S3_CREDENTIALS, startS3Server } from '../../support/s3-server.ts'
import { onEngine } from '../../support/world.ts'
import { fetchPicture, newPng, upload } from './pictures-world.ts'

const NAME = `${'ab'.repeat(32)}.webp`
const folder = mkdtempSync(join(tmpdir(), 'matchday-store-'))
const s3 = startS3Server('fans')
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await s3.stop()
})

const bucket = { kind: 's3', bucket: 'fans', endpoint: s3.endpoint, region: 'eu-west-1' } as const
const stores = {
  directory: createPictureStore({ kind: 'directory', path: folder }, realSources),
  bucket: createPictureStore({ ...bucket, prefix: 'live/', ...S3_CREDENTIALS }, realSources),
}

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  s3.objects.clear()
})

describe.each(['directory', 'bucket'] as const)('A %s', kind => {
  const store = stores[kind]

  test('returns a stored file, also after a repeated put, and null after its deletion', async () => {
    await store.delete(NAME)
    expect(await store.get(NAME)).toBeNull()
    for (let n = 0; n < 2; n++) await store.put(NAME, Buffer.from('a picture'))
    expect(Buffer.from((await store.get(NAME)) ?? []).toString()).toBe('a picture')
    for (let n = 0; n < 2; n++) await store.delete(NAME)
    expect(await store.get(NAME)).toBeNull()
  })

  test('lists its files, page by page, and no files of others', async () => {
    const names = ['01', '02', '03', '04', '05'].map(start => `${start.repeat(32)}.webp`)
    for (const name of names) await store.put(name, Buffer.from(name))
    mkdirSync(join(folder, 'notes'), { recursive: true })
    s3.objects.set('other/note', new Uint8Array(3))
    const listed = await Array.fromAsync(store.list())
    expect(listed.map(({ name, bytes }) => [name, bytes]).toSorted()).toEqual(
      names.map(name => [name, name.length]),
    )
    expect(listed.every(({ modifiedAt }) => modifiedAt.getTime() > 0)).toBe(true)
    for (const name of names) await store.delete(name)
    s3.objects.delete('other/note')
    for (const each of readdirSync(folder)) rmSync(join(folder, each), { recursive: true })
    expect(await Array.fromAsync(store.list())).toEqual([])
  })
})

test('a directory that does not exist has no files', async () => {
  const absent = createPictureStore({ kind: 'directory', path: join(folder, 'absent') }, realSources)
  expect(await Array.fromAsync(absent.list())).toEqual([])
})

test('a directory has no partial files, also while the same one is put several times', async () => {
  await Promise.all(Array.from({ length: 8 }, () => stores.directory.put(NAME, Buffer.alloc(100_000, 7))))
  expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual(['ab', `ab/${NAME}`])
})

test('a bucket that refuses the credentials is an error, not a missing file', async () => {
  const wrong = createPictureStore(
    { ...bucket, prefix: '', ...S3_CREDENTIALS, secretAccessKey: 'another' },
    realSources,
  )
  await expect(wrong.get(NAME)).rejects.toThrow()
  await expect(wrong.put(NAME, Buffer.from('x'))).rejects.toThrow()
})

onEngine(
  sqliteEngine,
  'With UPLOADS=s3://fans/app',
  world => {
    test('a picture is written, served and deleted with its fan; the log has no secret', async () => {
      const fan = await world.fan()
      const { url } = (await upload(fan, newPng())).body
      const key = `app/${url.split('/').at(-1)}`
      expect([...s3.objects.keys()]).toEqual([key])
      const served = await fetchPicture(world, url)
      expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/webp'])

      s3.failing = true
      const refused = await upload(fan, newPng())
      const unread = await fetchPicture(world, url)
      s3.failing = false
      expect([refused.status, refused.body.code, unread.status]).toEqual([503, 'uploads_unavailable', 503])
      expect(world.logged.join()).toContain('a picture cannot be stored')
      expect(world.logged.join()).not.toContain(S3_CREDENTIALS.secretAccessKey)

      const { subject } = fan
      await world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject }))
      await sweepPictures(world.deps)
      expect([...s3.objects.keys()]).toEqual([])
      expect(s3.requests).toContain(`DELETE /fans/${key} 204`)
      expect((await fetchPicture(world, url)).status).toBe(404)
    })
  },
  {
    env: {
      UPLOADS: 's3://fans/app',
      UPLOADS_ENDPOINT: s3.endpoint,
      UPLOADS_REGION: 'eu-west-1',
      UPLOADS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
      UPLOADS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
    },
  },
)
