/** A fan asks for a file with their data, and nobody else gets it. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import { createApp } from '../../../src/app/app.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { createExportEncryption, sweepExports } from '../../../src/fan/account/exports.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { DAY, expectStatus, patientFan, refusal } from '../../play/packs/packs-world.ts'
import { userIdOf } from '../../play/quests/quests-world.ts'
import type { Answer } from '../../support/client.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import { writeFiles } from './exports-world.ts'

const PATH = '/api/user/export'
const MINUTE = 60_000

/** Messages of which a part of a file holds few. */
async function fillInbox({ db, clock }: World, userId: string, count: number, body: string) {
  const rows = Array.from({ length: count }, (_, n) => ({
    ...{ id: `${userId} ${n}`, userId, notificationId: 'sanction', cause: `${n}`, category: 'account' },
    ...{ title: `Message ${n}`, body, createdAt: clock.now() },
  }))
  await db.write(tx => insertRows(tx, tx.tables.messages, rows))
}

/** As a browser opens the link: it is not an operation of the API. */
async function openFile(app: Pick<World['app'], 'handle'>, url: string): Promise<Answer> {
  const response = await app.handle(new Request(`http://localhost${url}`))
  return { status: response.status, headers: response.headers, body: await response.json() }
}

onEachEngine('The file of a fan', world => {
  const partsOf = async (exportId: string) => {
    const { dataExportParts: parts } = world.db.tables
    return world.db.read.select().from(parts).where(eq(parts.exportId, exportId))
  }
  const rowsOf = async (userId: string) => {
    const { dataExports: rows } = world.db.tables
    return world.db.read.select().from(rows).where(eq(rows.userId, userId))
  }
  const erase = (fan: Fan) =>
    world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject: fan.subject }))

  test('is asked for once a day, written in the background, and opened by its link', async () => {
    const fan = await namedFan(world)
    expect(refusal(await fan.get(PATH))).toEqual([404, 'export_not_found'])
    const asked = expectStatus(202, await fan.post(PATH))
    const expiresAt = new Date(world.clock.ms + 7 * DAY).toISOString()
    expect(asked).toEqual({ id: expect.any(String), state: 'pending', url: null, expiresAt })
    expect(expectStatus(200, await fan.get(PATH))).toEqual(asked)
    await writeFiles(world)
    const ready = expectStatus(200, await fan.post(PATH))
    expect(ready).toEqual({ ...asked, state: 'ready', url: expect.any(String) })

    const file = await openFile(world.app, ready.url)
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="my-data-[\d-]+\.json"$/)
    expect(file.body).toMatchObject({
      subject: { subject: fan.subject },
      profile: { handle: fan.handle },
      dataExports: [{ id: asked.id, completedAt: null }],
    })
    const lines = world.logged.filter(line => line.includes('/exports/'))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter(line => line.includes(asked.id))).toEqual([])
  })

  test('is the first one for a repeat with the same key after midnight', async () => {
    const fan = await patientFan(world)
    const send = (key: string) => fan.send(PATH, { method: 'POST', headers: { 'idempotency-key': key } })
    const first = await send('one')
    expect(first.status).toBe(202)
    world.clock.advance(DAY - MINUTE)
    const repeat = await send('one')
    expect([repeat.status, repeat.body]).toEqual([202, first.body])
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    expect(await rowsOf(await userIdOf(world, fan))).toHaveLength(1)
    // Also when the fan has asked for another one on the new day.
    expect(expectStatus(202, await fan.post(PATH)).id).not.toBe(first.body.id)
    expect((await send('one')).body).toEqual(first.body)
    world.clock.advance(2 * MINUTE)
    expect((await send('one')).body.id).not.toBe(first.body.id)
  })

  test('is asked for once by concurrent requests', async () => {
    const fan = await namedFan(world)
    const answers = await Promise.all(Array.from({ length: 8 }, () => fan.post(PATH)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 202])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  })

  test('is deleted after a week, and its link ends after ten minutes', async () => {
    const fan = await patientFan(world)
    const { id } = expectStatus(202, await fan.post(PATH))
    await writeFiles(world)
    const { url } = expectStatus(200, await fan.get(PATH))
    world.clock.advance(10 * MINUTE)
    expect(refusal(await openFile(world.app, url))).toEqual([404, 'not_found'])
    world.clock.advance(6 * DAY)
    await sweepExports(world.db)
    const { url: again } = expectStatus(200, await fan.get(PATH))
    expect((await openFile(world.app, again)).status).toBe(200)
    // A second one, on another day.
    const second = expectStatus(202, await fan.post(PATH))
    expect(expectStatus(200, await fan.get(PATH)).id).toBe(second.id)
    world.clock.advance(DAY - 5 * MINUTE)
    expect(refusal(await openFile(world.app, again))).toEqual([404, 'not_found'])
    await sweepExports(world.db)
    expect(await partsOf(id)).toEqual([])
    expect((await rowsOf(await userIdOf(world, fan))).map(row => row.id)).toEqual([second.id])
  })

  test.each([
    ['without a signature', (url: string) => url.slice(0, url.lastIndexOf('.'))],
    ['with another signature', (url: string) => `${url.slice(0, -4)}AAAA`],
    ['with another end', (url: string) => url.replace(/\.(\d+)\./, (_, at) => `.${Number(at) + 60_000}.`)],
    ['with more', (url: string) => `${url}.1`],
    ['of nothing', () => '/exports/x'],
  ])('is not opened by a link %s', async (_, change) => {
    const fan = await namedFan(world)
    expectStatus(202, await fan.post(PATH))
    await writeFiles(world)
    const { url } = expectStatus(200, await fan.get(PATH))
    expect(refusal(await openFile(world.app, change(url)))).toEqual([404, 'not_found'])
  })

  test('is not opened by the signature of another fan', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    for (const one of [fan, other]) expectStatus(202, await one.post(PATH))
    await writeFiles(world)
    const [id, theirs] = [(await fan.get(PATH)).body.id, (await other.get(PATH)).body]
    expect(refusal(await openFile(world.app, theirs.url.replace(theirs.id, id)))).toEqual([404, 'not_found'])
  })

  test('is available to a suspended fan', async () => {
    const fan = await namedFan(world)
    const until = new Date(world.clock.ms + DAY)
    const suspension = { kind: 'suspend', until, reason: 'spam', decidedBy: 'Ana' } as const
    await world.db.write(tx => recordDecision(tx, { fanId: fan.id, ...suspension }))
    expectStatus(202, await fan.post(PATH))
    await writeFiles(world)
    const { url } = expectStatus(200, await fan.get(PATH))
    expect((await openFile(world.app, url)).body.sanctions).toHaveLength(1)
  })

  test('is encrypted at rest, in parts that are bound to their place', async () => {
    const fan = await namedFan(world)
    await fillInbox(world, fan.id, 4_000, 'text '.repeat(60))
    const { id } = expectStatus(202, await fan.post(PATH))
    await writeFiles(world)
    const parts = await partsOf(id)
    expect(parts.length).toBeGreaterThan(2)
    expect(JSON.stringify(parts)).not.toContain(fan.handle)
    const { url } = expectStatus(200, await fan.get(PATH))
    expect((await openFile(world.app, url)).body.messages).toHaveLength(4_000)

    const { dataExportParts } = world.db.tables
    const [first, second] = parts.toSorted((a, b) => a.part - b.part)
    await world.db.write(tx =>
      tx
        .update(dataExportParts)
        .set({ content: second?.content ?? '' })
        .where(eq(dataExportParts.content, first?.content ?? '')),
    )
    expect(refusal(await openFile(world.app, url))).toEqual([404, 'not_found'])
  })

  test('has each of 10,000 entries and 10,000 messages', async () => {
    const fan = await namedFan(world)
    const [count, createdAt] = [10_000, world.clock.now()]
    await fillInbox(world, fan.id, count, 'Two more points.')
    await world.db.write(async tx => {
      const { pointsAccounts, pointsEntries } = tx.tables
      const sums = { balance: count, lifetime: count, seq: count, headHash: 'h', updatedAt: createdAt }
      await tx.insert(pointsAccounts).values({ userId: fan.id, ...sums })
      const entries = Array.from({ length: count }, (_, n) => ({
        ...{ id: `${fan.id} ${n}`, userId: fan.id, seq: n + 1, delta: 1, balanceAfter: n + 1 },
        ...{ reason: 'event', ref: `${n}`, createdAt, hash: 'h' },
      }))
      await insertRows(tx, pointsEntries, entries)
    })
    expectStatus(202, await fan.post(PATH))
    await writeFiles(world)
    const { url } = expectStatus(200, await fan.get(PATH))
    const { points, messages } = (await openFile(world.app, url)).body
    expect(points.entries.map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: count }, (_, n) => n + 1),
    )
    expect(messages).toHaveLength(count)
  })

  test('is read with the previous key, and without it the link finds nothing', async () => {
    const { config, deps } = world
    const fan = await namedFan(world)
    expectStatus(202, await fan.post(PATH))
    await writeFiles(world)
    const { url } = expectStatus(200, await fan.get(PATH))
    const key = { kid: 'new', d: 'another secret of 32 bytes and more' }
    const open = (previousKeys: typeof config.nativeTokens.previousKeys) => {
      const app = createApp({ ...deps, exportEncryption: createExportEncryption({ key, previousKeys }) })
      return openFile(app, url)
    }
    expect((await open([config.nativeTokens.key])).status).toBe(200)
    expect(refusal(await open([]))).toEqual([404, 'not_found'])
  })

  test('is started again after a process that ended, and without what it had stored', async () => {
    const fan = await namedFan(world)
    await fillInbox(world, fan.id, 4_000, 'text '.repeat(60))
    const { id } = expectStatus(202, await fan.post(PATH))
    let stored = 0
    await writeFiles(world, { stopping: () => stored > 0, afterPart: async () => void stored++ })
    expect((await partsOf(id)).length).toBeGreaterThan(0)
    expect(expectStatus(200, await fan.get(PATH)).state).toBe('pending')
    await writeFiles(world)
    expect(expectStatus(200, await fan.get(PATH)).state).toBe('pending')
    world.clock.advance(6 * MINUTE)
    await writeFiles(world)
    const { url } = expectStatus(200, await fan.get(PATH))
    expect((await openFile(world.app, url)).body.messages).toHaveLength(4_000)
  })

  test('is written once by two processes', async () => {
    const fan = await namedFan(world)
    const { id } = expectStatus(202, await fan.post(PATH))
    await Promise.all([writeFiles(world), writeFiles(world)])
    expect(await partsOf(id)).toHaveLength(1)
    expect(expectStatus(200, await fan.get(PATH)).state).toBe('ready')
  })

  test('is deleted by an erasure at once, and the link with it', async () => {
    const fan = await namedFan(world)
    const { id } = expectStatus(202, await fan.post(PATH))
    await writeFiles(world)
    const { url } = expectStatus(200, await fan.get(PATH))
    await erase(fan)
    expect(await partsOf(id)).toEqual([])
    expect(refusal(await openFile(world.app, url))).toEqual([404, 'not_found'])
    expect(refusal(await fan.get(PATH))).toEqual([401, 'invalid_token'])
  })

  test.each([
    ['an erasure', (fan: Fan) => erase(fan)],
    [
      'a merge',
      async (fan: Fan) => {
        const [from, into] = [await userIdOf(world, fan), await userIdOf(world, await namedFan(world))]
        await world.db.write(tx => mergeFans(tx, { from, into, mergedBy: 'Ana', reason: null }))
      },
    ],
  ])('is not finished after %s in the middle of it', async (_, end) => {
    const fan = await namedFan(world)
    await fillInbox(world, fan.id, 4_000, 'text '.repeat(60))
    const { id } = expectStatus(202, await fan.post(PATH))
    let ended = false
    await writeFiles(world, {
      async afterPart() {
        if (!ended) await end(fan)
        ended = true
      },
    })
    expect(ended).toBe(true)
    expect(await partsOf(id)).toEqual([])
    expect(await rowsOf(fan.id)).toEqual([])
  })

  test('of a fan with several parts breaks off when an erasure deletes it meanwhile', async () => {
    const fan = await namedFan(world)
    await fillInbox(world, fan.id, 8_000, 'text '.repeat(60))
    expectStatus(202, await fan.post(PATH))
    await writeFiles(world)
    const { url } = expectStatus(200, await fan.get(PATH))
    const response = await world.app.handle(new Request(`http://localhost${url}`))
    const reader = response.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    await erase(fan)
    const rest = (async () => {
      for (;;) if ((await reader?.read())?.done !== false) return
    })()
    expect(rest).rejects.toThrow('was deleted while it was sent')
  })

  test('of a merged fan has the data of both, also by the other sign-in', async () => {
    const [from, into] = [await namedFan(world), await namedFan(world)]
    await world.grant(from, 5)
    expectStatus(202, await from.post(PATH))
    await world.db.write(tx => mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Ana', reason: null }))
    expectStatus(202, await into.post(PATH))
    await writeFiles(world)
    const { url } = expectStatus(200, await into.get(PATH))
    const { mergedRecords } = (await openFile(world.app, url)).body
    expect(mergedRecords).toMatchObject([{ id: from.id, points: { entries: [{ delta: 5 }, { delta: -5 }] } }])
  })
})
