/** Pictures in `bun run backup` and `bun run restore`, and `bun run verify-pictures`, as operators run them. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Database, openDatabase } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { createSpine } from '../../src/app/spine.ts'
import { addPicture } from '../../src/club/pictures/upload.ts'
import { realSources } from '../../src/core/sources.ts'
import { addressOf, nameOf } from '../../src/core/uploaded-url.ts'
import { upsertProfile } from '../../src/fan/profile/profile.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { readRuns } from '../../src/platform/jobs/maintenance.ts'
import { engines } from '../support/engines.ts'
import { root } from '../support/executable.ts'
import { S3_CREDENTIALS, startS3Server } from '../support/s3-server.ts'
import { waitUntil } from '../support/wait-until.ts'
import { writerOf } from '../support/writer.ts'
import { asTyped, runScript, startScript } from './run-script.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-pictures-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pathOf = (...names: string[]) => join(folder, ...names)
const idOf = (text: string) => hash('sha256', text, 'hex')
const fileOf = (store: string, text: string) => pathOf(store, idOf(text).slice(0, 2), nameOf(idOf(text)))
const envOf = (database: string, uploads = 'uploads') => ({
  DATABASE_URL: `sqlite:${pathOf(database)}`,
  UPLOADS: pathOf(uploads),
})
const run = (script: string, database: string, parameters: string[], env: Record<string, string> = {}) =>
  runScript(script, parameters, { env: { ...envOf(database), ...env } })

function putFile(store: string, text: string, bytes = text) {
  mkdirSync(dirname(fileOf(store, text)), { recursive: true })
  writeFileSync(fileOf(store, text), bytes)
}

/** Rows of pictures that the club has uploaded, and their files in `uploads`. */
async function addRows(db: Database, texts: string[], owner: { userId: string } | { source: string }) {
  for (const text of texts) {
    const file = { id: idOf(text), width: 4, height: 4, bytes: text.length }
    await db.write(async tx => {
      await tx.insert(tx.tables.pictureFiles).values(file)
      await addPicture(tx, owner, file)
    })
    putFile('uploads', text)
  }
}

/** A child makes it: this process would keep a lock on what it has opened. */
async function withPictures(name: string, ...texts: string[]) {
  const scratch = `scratch-${name}`
  await migrate(`sqlite:${pathOf(scratch)}`)
  const db = openDatabase(`sqlite:${pathOf(scratch)}`, realSources, { spine: createSpine() })
  await addRows(db, texts, { source: 'club' })
  const fan = { provider: 'mock-idp', subject: 'sub-wilhelmina' }
  await db.write(async tx => upsertProfile(tx, await writerOf(tx, fan), { displayName: 'Wilhelmina' }))
  const { user } = await db.write(tx => ensureUser(tx, fan))
  await addRows(db, [`of ${name}`], { userId: user.id })
  await db.close()
  writeFileSync(pathOf(name), readFileSync(pathOf(scratch)))
  return user.id
}

const filesIn = (store: string) =>
  existsSync(pathOf(store))
    ? readdirSync(pathOf(store), { recursive: true, encoding: 'utf8' })
        .filter(name => name.length > 3)
        .map(name => readFileSync(pathOf(store, name), 'utf8'))
        .toSorted()
    : []
const backups = () => readdirSync(pathOf('backups')).toSorted()

describe('A backup', () => {
  test('has each picture once for all backups of its folder, with a manifest for sha256sum', async () => {
    await withPictures('live.db', 'crest', 'pack')
    const first = await run('backup', 'live.db', [pathOf('backups/monday.db')])
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toContain(`3 pictures, 3 of them new in ${pathOf('backups')}/pictures.`)
    const written = statSync(fileOf('backups/pictures', 'crest'))
    const second = await run('backup', 'live.db', [pathOf('backups/tuesday.db'), '--json'])
    expect(JSON.parse(second.out).pictures).toEqual({ files: 3, copied: 0, missing: 0 })
    expect(statSync(fileOf('backups/pictures', 'crest')).ino).toBe(written.ino)
    expect(backups()).toEqual([
      ...['monday.db', 'monday.db.pictures', 'pictures', 'tuesday.db', 'tuesday.db.pictures'],
    ])
    expect(filesIn('backups/pictures')).toEqual(['crest', 'of live.db', 'pack'])
    const check = () =>
      Bun.spawnSync(['sha256sum', '--quiet', '--check', 'monday.db.pictures'], { cwd: pathOf('backups') })
    expect(check().exitCode).toBe(0)
    writeFileSync(fileOf('backups/pictures', 'crest'), 'crest!')
    expect(check().exitCode).toBe(1)
  })

  test('forgets pictures that no backup of its folder has, and leaves files of others', async () => {
    await withPictures('live.db', 'crest')
    await withPictures('later.db', 'pack')
    await run('backup', 'live.db', [pathOf('backups/monday.db')])
    putFile('backups/pictures', 'notes', 'of somebody')
    renameSync(fileOf('backups/pictures', 'notes'), pathOf('backups/pictures/ab-notes'))
    await run('backup', 'later.db', [pathOf('backups/tuesday.db')])
    expect(filesIn('backups/pictures')).toEqual(['crest', 'of later.db', 'of live.db', 'of somebody', 'pack'])
    rmSync(pathOf('backups/monday.db'))
    const yesterday = new Date(Date.now() - 90_000_000)
    utimesSync(pathOf('backups/monday.db.pictures'), yesterday, yesterday)
    await run('backup', 'later.db', [pathOf('backups/wednesday.db')])
    expect(filesIn('backups/pictures')).toEqual(['of later.db', 'of somebody', 'pack'])
    expect(backups()).not.toContain('monday.db.pictures')
  })

  test('reports pictures that are missing or damaged in the store, and completes', async () => {
    await withPictures('live.db', 'crest', 'pack')
    rmSync(fileOf('uploads', 'crest'))
    writeFileSync(fileOf('uploads', 'pack'), 'torn')
    const { code, out } = await run('backup', 'live.db', [pathOf('backups/monday.db')])
    expect(code).toBe(0)
    expect(out).toContain('1 pictures, 1 of them new')
    expect(out).toContain(
      'Not in the store, or with other bytes: 2 pictures. `bun run verify-pictures` lists them.',
    )
    expect(filesIn('backups/pictures')).toEqual(['of live.db'])
  })

  test.each([
    ['a directory that is absent', { UPLOADS: '/nowhere/at/all' }, 'is not a directory'],
    ['a file', { UPLOADS: import.meta.path }, 'is not a directory'],
    ['no UPLOADS', { UPLOADS: '', NODE_ENV: 'production' }, 'UPLOADS is not set here'],
  ])('with %s in place of the pictures is refused, except with --no-pictures', async (_label, env, why) => {
    await withPictures('live.db', 'crest')
    const { code, err } = await run('backup', 'live.db', [pathOf('backups/monday.db')], env)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(why) })
    expect(existsSync(pathOf('backups'))).toBe(false)
    const without = await run('backup', 'live.db', [pathOf('backups/monday.db'), '--no-pictures'], env)
    expect(without.code).toBe(0)
    expect(backups()).toEqual(['monday.db'])
  })

  test('that is killed while it copies pictures leaves no backup, and the next one continues', async () => {
    await withPictures('live.db', 'crest', 'pack')
    // A pipe that nobody writes to: reading it does not end.
    rmSync(fileOf('uploads', 'pack'))
    Bun.spawnSync(['mkfifo', fileOf('uploads', 'pack')])
    const child = startScript('backup', [pathOf('backups/monday.db')], { env: envOf('live.db') })
    await waitUntil('the other pictures are copied', () =>
      ['crest', 'of live.db'].every(text => existsSync(fileOf('backups/pictures', text))),
    )
    child.kill('SIGKILL')
    await child.exited
    expect(backups()).not.toContain('monday.db')
    expect(backups()).not.toContain('monday.db.pictures')
    const refused = await run('restore', 'new.db', [pathOf('backups/monday.db')])
    expect(refused.err).toContain('There is no file')

    rmSync(fileOf('uploads', 'pack'))
    putFile('uploads', 'pack')
    const { out } = await run('backup', 'live.db', [pathOf('backups/monday.db'), '--json'])
    expect(JSON.parse(out).pictures).toEqual({ files: 3, copied: 1, missing: 0 })
    expect(backups()).toEqual(['monday.db', 'monday.db.pictures', 'pictures'])
  })

  test('is refused if all pictures are missing, as with the store of another club', async () => {
    await withPictures('live.db', 'crest')
    mkdirSync(pathOf('other'))
    const env = { UPLOADS: pathOf('other') }
    const { code, err } = await run('backup', 'live.db', [pathOf('backups/monday.db')], env)
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('None of the 2 pictures of the database is in UPLOADS'),
    })
    expect(existsSync(pathOf('backups/monday.db'))).toBe(false)
    // One that has them already loses none by it.
    await run('backup', 'live.db', [pathOf('backups/monday.db')])
    const { out } = await run('backup', 'live.db', [pathOf('backups/tuesday.db'), '--json'], env)
    expect(JSON.parse(out).pictures).toEqual({ files: 2, copied: 0, missing: 0 })
  })

  test('is refused next to the store itself, whose unused files it would delete', async () => {
    await withPictures('live.db', 'crest')
    renameSync(pathOf('uploads'), pathOf('pictures'))
    symlinkSync(pathOf('pictures'), pathOf('link'))
    putFile('pictures', 'just uploaded')
    for (const UPLOADS of [pathOf('pictures'), pathOf('link')]) {
      const { code, err } = await run('backup', 'live.db', [pathOf('monday.db')], { UPLOADS })
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('is UPLOADS, the store itself') })
    }
    expect(filesIn('pictures')).toEqual(['crest', 'just uploaded', 'of live.db'])
  })

  test('does not touch other files whose names end like a manifest, and refuses such a name', async () => {
    await withPictures('live.db', 'crest')
    mkdirSync(pathOf('backups', 'our.pictures'), { recursive: true })
    writeFileSync(pathOf('backups', 'holiday.pictures'), 'album')
    const yesterday = new Date(Date.now() - 90_000_000)
    utimesSync(pathOf('backups', 'holiday.pictures'), yesterday, yesterday)
    expect((await run('backup', 'live.db', [pathOf('backups/monday.db')])).code).toBe(0)
    expect(backups()).toEqual([
      'holiday.pictures',
      'monday.db',
      'monday.db.pictures',
      'our.pictures',
      'pictures',
    ])
    for (const name of ['x.pictures', 'x.db.partial'])
      expect((await run('backup', 'live.db', [pathOf('backups', name)])).code).toBe(2)
  })

  test('that is stopped by Ctrl-C leaves only pictures, and says how to continue', async () => {
    await withPictures('live.db', ...Array.from({ length: 40 }, (_, n) => `card ${n}`))
    // Reads of a pipe end when it is closed: then the next batch begins.
    const text = 'card 39'
    rmSync(fileOf('uploads', text))
    Bun.spawnSync(['mkfifo', fileOf('uploads', text)])
    const child = startScript('backup', [pathOf('backups/monday.db')], { env: envOf('live.db') })
    await waitUntil('pictures are copied', () => filesIn('backups/pictures').length > 0)
    child.kill('SIGINT')
    writeFileSync(fileOf('uploads', text), text)
    expect(await child.exited).toBe(130)
    expect(asTyped(await new Response(child.stderr).text())).toContain('To continue: bun run backup')
    expect(backups()).toEqual(['pictures'])
  })

  test('that fails at a picture says why, and keeps what the next one can use', async () => {
    const large = 'x'.repeat(6_000_000)
    await withPictures('live.db', large)
    // In blocks of 1 KiB, more than the database. With the signal ignored, a write fails as on a full disk.
    const command = `trap '' XFSZ; ulimit -f 4096; exec '${process.execPath}' scripts/backup.ts '${pathOf('backups/monday.db')}'`
    const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'test', ...envOf('live.db') }
    const { exitCode, stderr } = Bun.spawnSync(['bash', '-c', command], { cwd: root, env })
    expect([exitCode, stderr.toString()]).toEqual([1, expect.stringMatching(/^EFBIG: /)])
    expect(backups()).toEqual(['pictures'])
    expect(filesIn('backups/pictures')).toEqual(['of live.db'])
  })

  test('without pictures in the database has neither folder nor manifest, also over one that had', async () => {
    await withPictures('live.db', 'crest')
    await migrate(`sqlite:${pathOf('empty.db')}`)
    await run('backup', 'live.db', [pathOf('backups/monday.db')])
    const env = { UPLOADS: pathOf('absent') }
    expect((await run('backup', 'empty.db', [pathOf('backups/monday.db'), '--force'], env)).code).toBe(0)
    expect(backups()).toEqual(['monday.db', 'pictures'])
    expect(filesIn('backups/pictures')).toEqual([])
  })
})

describe('A restore', () => {
  test('restores pictures, keeps others, and changes nothing when it is repeated', async () => {
    await withPictures('live.db', 'crest', 'pack')
    await run('backup', 'live.db', [pathOf('backups/monday.db')])
    rmSync(fileOf('uploads', 'crest'))
    writeFileSync(fileOf('uploads', 'pack'), 'torn')
    putFile('uploads', 'later')
    const dry = await run('restore', 'live.db', [pathOf('backups/monday.db'), '--force', '--dry-run'])
    expect(dry.out).toContain('2 pictures would be written into UPLOADS, which had 1 of them already.')
    expect(filesIn('uploads')).toEqual(['later', 'of live.db', 'torn'])

    const { code, out } = await run('restore', 'live.db', [pathOf('backups/monday.db'), '--force'])
    expect(code).toBe(0)
    expect(out).toContain('2 pictures were written into UPLOADS, which had 1 of them already.')
    expect(filesIn('uploads')).toEqual(['crest', 'later', 'of live.db', 'pack'])
    const again = await run('restore', 'live.db', [pathOf('backups/monday.db'), '--force', '--json'])
    expect(JSON.parse(again.out).pictures).toEqual({ restored: 0, present: 3, missing: 0 })
  })

  test('on another machine makes the directory, without pictures of fans who were erased since', async () => {
    const fan = await withPictures('live.db', 'crest')
    await run('backup', 'live.db', [pathOf('backups/monday.db')])
    expect((await run('erase-user', 'live.db', [fan, '--yes'])).code).toBe(0)
    const parameters = [pathOf('backups/monday.db'), '--erasures', pathOf('live.db.erasures')]
    const { code } = await run('restore', 'new.db', parameters, { UPLOADS: pathOf('new/uploads') })
    expect(code).toBe(0)
    expect(filesIn('new/uploads')).toEqual(['crest'])
  })

  test('of a backup with incomplete pictures does not change the database, and --no-pictures restores it', async () => {
    await withPictures('live.db', 'crest', 'pack')
    await run('backup', 'live.db', [pathOf('backups/monday.db')])
    rmSync(fileOf('backups/pictures', 'crest'))
    writeFileSync(fileOf('backups/pictures', 'pack'), 'torn')
    const env = { UPLOADS: pathOf('new') }
    const { code, err } = await run('restore', 'new.db', [pathOf('backups/monday.db')], env)
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('Of the pictures of monday.db, 2 are missing or damaged in '),
    })
    expect(existsSync(pathOf('new.db'))).toBe(false)
    expect(filesIn('new')).toEqual(['of live.db'])
    const alone = await run('restore', 'new.db', [pathOf('backups/monday.db'), '--no-pictures'], env)
    expect(alone.code).toBe(0)
  })

  test('of a backup that came without its manifest says so', async () => {
    await withPictures('live.db', 'crest')
    await run('backup', 'live.db', [pathOf('backups/monday.db'), '--no-pictures'])
    const { code, err, out } = await run('restore', 'new.db', [pathOf('backups/monday.db')])
    expect(code).toBe(0)
    expect(err).toContain(`There is no ${pathOf('backups/monday.db')}.pictures: the backup has no pictures`)
    expect(out).not.toContain('into UPLOADS')
  })

  test('that is stopped by Ctrl-C does not change the database, and leaves no copy next to it', async () => {
    await withPictures('live.db', ...Array.from({ length: 40 }, (_, n) => `card ${n}`))
    await run('backup', 'live.db', [pathOf('backups/monday.db')])
    // A pipe blocks the first batch until it is closed.
    const pipe = 'card 0'
    rmSync(fileOf('backups/pictures', pipe))
    Bun.spawnSync(['mkfifo', fileOf('backups/pictures', pipe)])
    // Opened for both, so that neither this process nor a later open of the restore waits for the other side.
    const held = openSync(fileOf('backups/pictures', pipe), 'r+')
    const env = envOf('new.db', 'new')
    const child = startScript('restore', [pathOf('backups/monday.db')], { env })
    await waitUntil('the copy is written', () => existsSync(pathOf('new.db.incoming')))
    await waitUntil('pictures are written', () => filesIn('new').length > 0)
    child.kill('SIGINT')
    writeSync(held, pipe)
    closeSync(held)
    expect(await child.exited).toBe(130)
    expect(asTyped(await new Response(child.stderr).text())).toContain('To continue: bun run restore')
    expect(readdirSync(folder).filter(name => name.startsWith('new.db'))).toEqual([])
    // Pictures that were written stay, and the next run uses them.
    rmSync(fileOf('backups/pictures', pipe))
    writeFileSync(fileOf('backups/pictures', pipe), pipe)
    const again = await runScript('restore', [pathOf('backups/monday.db'), '--json'], { env })
    expect(JSON.parse(again.out).pictures).toMatchObject({ missing: 0 })
  })

  test('without UPLOADS, or if it cannot write there, does not change the database', async () => {
    await withPictures('live.db', 'crest')
    await run('backup', 'live.db', [pathOf('backups/monday.db')])
    writeFileSync(pathOf('file'), 'of somebody')
    for (const [env, why] of [
      [{ UPLOADS: '', NODE_ENV: 'production' }, 'has pictures, and UPLOADS is not set here'],
      [{ UPLOADS: pathOf('file') }, 'a directory is needed'],
    ] as const) {
      const { code, err } = await run('restore', 'new.db', [pathOf('backups/monday.db')], env)
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(why) })
      expect(existsSync(pathOf('new.db'))).toBe(false)
    }
  })
})

test('pictures of a bucket are backed up, restored into a bucket, and verified there', async () => {
  const s3 = startS3Server('fans')
  try {
    await withPictures('live.db', 'crest', 'pack')
    for (const text of ['crest', 'pack', 'of live.db'])
      s3.objects.set(`app/${nameOf(idOf(text))}`, Buffer.from(text))
    const env = {
      UPLOADS: 's3://fans/app',
      UPLOADS_ENDPOINT: s3.endpoint,
      UPLOADS_REGION: 'eu-west-1',
      UPLOADS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
      UPLOADS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
    }
    const backup = await run('backup', 'live.db', [pathOf('backups/monday.db'), '--json'], env)
    expect(JSON.parse(backup.out).pictures).toEqual({ files: 3, copied: 3, missing: 0 })
    s3.objects.clear()
    s3.failing = true
    const refused = await run('restore', 'new.db', [pathOf('backups/monday.db')], env)
    expect([refused.code, existsSync(pathOf('new.db'))]).toEqual([1, false])
    expect(refused.err).toBe('The bucket of UPLOADS cannot be used: ServiceUnavailable\n')
    s3.failing = false
    const wrong = { ...env, UPLOADS_ENDPOINT: 'http://127.0.0.1:9' }
    expect((await run('restore', 'new.db', [pathOf('backups/monday.db')], wrong)).err).toMatch(
      /^The bucket of UPLOADS cannot be used: .+/,
    )
    const restored = await run('restore', 'new.db', [pathOf('backups/monday.db'), '--json'], env)
    expect(JSON.parse(restored.out).pictures).toEqual({ restored: 3, present: 0, missing: 0 })
    expect(s3.objects.size).toBe(3)
    expect((await run('verify-pictures', 'new.db', [], env)).out).toContain(
      'No findings in 3 pictures, 3 files in s3://fans/app/.',
    )
  } finally {
    await s3.stop()
  }
})

describe.each(engines)('verify-pictures ($name)', engine => {
  test('reports what is missing, damaged, unreferenced or not uploaded, and records a clean run', async () => {
    const opened = await engine.open(realSources)
    try {
      const { db, url } = opened
      const verify = (...parameters: string[]) =>
        runScript('verify-pictures', parameters, {
          env: { DATABASE_URL: url ?? '', UPLOADS: pathOf('uploads') },
        })
      const unset = () =>
        runScript('verify-pictures', [], { env: { DATABASE_URL: url ?? '', NODE_ENV: 'production' } })
      expect(await unset()).toMatchObject({
        code: 0,
        out: 'There are no pictures, and UPLOADS is not set.\n',
      })
      await addRows(db, ['crest', 'pack', 'poster'], { source: 'club' })
      expect((await unset()).err).toContain('The database has 3 pictures, and UPLOADS is not set here')
      const clean = await verify()
      expect(clean).toMatchObject({ code: 0, err: '' })
      expect(clean.out).toContain(`No findings in 3 pictures, 3 files in ${pathOf('uploads')}.`)
      expect([...(await readRuns(db.read)).keys()]).toEqual(['verify-pictures'])

      rmSync(fileOf('uploads', 'crest'))
      writeFileSync(fileOf('uploads', 'pack'), 'torn')
      putFile('uploads', 'left')
      const hoursAgo = new Date(Date.now() - 7_200_000)
      utimesSync(fileOf('uploads', 'left'), hoursAgo, hoursAgo)
      putFile('uploads', 'just begun')
      await db.write(async tx =>
        upsertProfile(tx, await writerOf(tx, { provider: 'mock-idp', subject: 'ada' }), {
          avatarUrl: 'https://example.com/a.png',
        }),
      )
      await db.write(tx => tx.update(tx.tables.users).set({ avatarUrl: addressOf(idOf('elsewhere')) }))
      const { code, out } = await verify('--json')
      expect(code).toBe(1)
      const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
      expect(JSON.parse(out).findings.toSorted(byName)).toEqual(
        [
          { what: 'missing', name: nameOf(idOf('crest')) },
          { what: 'damaged', name: nameOf(idOf('pack')) },
          { what: 'unreferenced', name: nameOf(idOf('left')) },
          { what: 'not_uploaded', name: nameOf(idOf('elsewhere')), in: 'users.avatar_url' },
        ].toSorted(byName),
      )
    } finally {
      await opened.remove()
    }
  })
})
