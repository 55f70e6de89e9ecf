/** Notices of illegal content, by people without an account. */
import { expect, test } from 'bun:test'
import { asc, eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import {
  CLEARED_AFTER_DAYS,
  clearOldNotices,
  decideNotice,
  MAX_OPEN,
  type NoticeDecision,
} from '../../../src/fan/moderation/notices.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { onEachEngine, type World } from '../../support/world.ts'

const NOTICE = {
  category: 'hate',
  location: 'The bio of a fan in the feed.',
  explanation: 'It calls for violence.',
  name: 'Ana Reis',
  email: 'ana@example.com',
  goodFaith: true,
}
const DECIDED = { decidedBy: 'Bruno', actionTaken: false, answer: 'It is satire.' } as const

const send = (world: World, more: object = {}) => world.anonymous.post('/api/notices', { ...NOTICE, ...more })

async function noticeOf(world: World, id: string) {
  const { contentNotices } = world.db.tables
  const [row] = await world.db.read.select().from(contentNotices).where(eq(contentNotices.id, id))
  return row
}

const decide = (world: World, id: string, more: Partial<NoticeDecision> = {}) =>
  world.db.write(tx => decideNotice(tx, id, { ...DECIDED, ...more }))

const erase = (world: World, { subject }: NamedFan) =>
  world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject }))

onEachEngine('A notice of illegal content', world => {
  test('is received without an account, with a number, and keeps what was shown', async () => {
    const fan = await namedFan(world)
    expectStatus(200, await fan.patch('/api/user/profile', { bio: 'Insults' }))
    const subject = { kind: 'fan', id: fan.handle }
    const receipt = expectStatus(201, await send(world, { subject, location: undefined }))
    expect(receipt).toEqual({
      receipt: expect.any(String),
      createdAt: world.clock.now().toISOString(),
      merged: false,
    })
    expectStatus(200, await fan.patch('/api/user/profile', { bio: 'Harmless' }))
    const row = await noticeOf(world, receipt.receipt)
    expect(row).toMatchObject({
      ...{ category: 'hate', subjectKind: 'fan', fanId: fan.id, reference: fan.handle, location: null },
      ...{ name: 'Ana Reis', email: 'ana@example.com', language: 'en', decidedAt: null },
    })
    expect(JSON.parse(row?.evidence ?? '')).toMatchObject({ handle: fan.handle, bio: 'Insults' })
    // The fan learns nothing of it.
    const { body } = await fan.get('/api/user/sanctions')
    expect(body).toEqual({ sanctions: [] })
  })

  test.each([
    ['of a locker', (handle: string) => `https://club.example/lockers/${handle}?from=mail`, 'locker'],
    ['of a fan', (handle: string) => ` https://club.example/fans/${handle.toUpperCase()} `, 'fan'],
    ['of a prediction', (handle: string) => `https://club.example/shared/predictions/derby/${handle}`, 'fan'],
  ])('knows the content by the address %s', async (_, addressOf, subjectKind) => {
    const fan = await namedFan(world)
    const location = addressOf(fan.handle)
    const { receipt } = expectStatus(201, await send(world, { location }))
    expect(await noticeOf(world, receipt)).toMatchObject({ subjectKind, fanId: fan.id, location })
  })

  test('answers alike for content that does not exist', async () => {
    for (const more of [
      { subject: { kind: 'locker', id: 'nobody_here' } },
      { location: 'https://club.example/lockers/nobody_here' },
      { location: 'https://other.example/page' },
    ]) {
      const { receipt, ...rest } = expectStatus(201, await send(world, more))
      expect(rest).toEqual({ createdAt: world.clock.now().toISOString(), merged: false })
      expect(await noticeOf(world, receipt)).toMatchObject({ fanId: null, evidence: null })
    }
  })

  test.each([
    ['nothing says where it is', { location: undefined }, '/location'],
    ['the kind is private', { subject: { kind: 'trade', id: 'x' } }, '/subject/kind'],
    ['nothing says why', { explanation: undefined }, '/explanation'],
    ['the explanation is too long', { explanation: 'x'.repeat(5_001) }, '/explanation'],
    ['the place is too long', { location: 'x'.repeat(2_001) }, '/location'],
    ['the category is unknown', { category: 'spam' }, '/category'],
    ['the name is missing', { name: undefined }, '/name'],
    ['the address is missing', { email: undefined }, '/email'],
    ['the address is none', { email: 'ana at example.com' }, '/email'],
    ['good faith is not stated', { goodFaith: false }, '/goodFaith'],
    ['good faith is missing', { goodFaith: undefined }, '/goodFaith'],
  ])('is refused where %s', async (_, more, pointer) => {
    const { status, body } = await send(world, more)
    expect([status, body.code]).toEqual([422, 'validation_failed'])
    expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  })

  test('of sexual abuse of children needs no name and no address', async () => {
    const nobody = { category: 'child_abuse', name: undefined, email: undefined }
    const { receipt } = expectStatus(201, await send(world, nobody))
    expect(await noticeOf(world, receipt)).toMatchObject({ name: null, email: null })
  })

  test('beyond 20 open ones about the same content is counted with one of them, until one is decided', async () => {
    const fan = await namedFan(world)
    const content = { subject: { kind: 'locker', id: fan.handle } }
    const kept: string[] = []
    for (let n = 0; n < MAX_OPEN; n++)
      kept.push(expectStatus(201, await send(world, { ...content, email: `a${n}@example.com` })).receipt)
    expect(new Set(kept).size).toBe(MAX_OPEN)
    const more = { location: `/lockers/${fan.handle}`, email: 'late@example.com' }
    for (let n = 1; n <= 3; n++)
      expect(expectStatus(201, await send(world, more))).toMatchObject({
        receipt: kept.at(-1),
        merged: true,
      })
    expect(await noticeOf(world, kept.at(-1) ?? '')).toMatchObject({
      repeats: 3,
      email: `a${MAX_OPEN - 1}@example.com`,
    })
    // The profile of the fan is other content.
    const profile = { subject: { kind: 'fan', id: fan.handle } }
    expect(expectStatus(201, await send(world, profile))).toMatchObject({ merged: false })
    await decide(world, kept[4] ?? '')
    const next = expectStatus(201, await send(world, more))
    expect(next.merged).toBe(false)
    expect(await noticeOf(world, next.receipt)).toMatchObject({ place: 5, email: 'late@example.com' })
  })

  test('about one place in words is about the same content in other capitals and spaces', async () => {
    const word = crypto.randomUUID()
    for (let n = 0; n < MAX_OPEN; n++) await send(world, { location: `The  feed ${word}` })
    expect(expectStatus(201, await send(world, { location: ` the feed ${word}` })).merged).toBe(true)
    expect(expectStatus(201, await send(world, { location: `the feed ${word}!` })).merged).toBe(false)
  })

  test('is decided once', async () => {
    const { receipt } = expectStatus(201, await send(world))
    const both = await Promise.allSettled([decide(world, receipt), decide(world, receipt)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const refused = both.find(({ status }) => status === 'rejected')
    expect(refused).toMatchObject({ reason: { code: 'notice_not_open' } })
    await expect(decide(world, 'nothing')).rejects.toMatchObject({ code: 'notice_not_open' })
    const decidedAt = world.clock.now()
    expect(await noticeOf(world, receipt)).toMatchObject({ ...DECIDED, decidedAt })
  })

  test('loses its texts and the notifier 184 days after the decision', async () => {
    const [open, decided] = [
      expectStatus(201, await send(world)).receipt,
      expectStatus(201, await send(world)).receipt,
    ]
    await decide(world, decided)
    world.clock.advance(CLEARED_AFTER_DAYS * 86_400_000)
    await clearOldNotices(world.db)
    expect(await noticeOf(world, decided)).toMatchObject({ email: 'ana@example.com', clearedAt: null })
    world.clock.advance(1)
    expect(await clearOldNotices(world.db)).toBeGreaterThan(0)
    expect(await noticeOf(world, decided)).toMatchObject({
      ...{ category: 'hate', actionTaken: false, decidedBy: 'Bruno', clearedAt: world.clock.now() },
      ...{ name: null, email: null, location: null, explanation: null, answer: null, evidence: null },
    })
    expect(await noticeOf(world, open)).toMatchObject({ email: 'ana@example.com', clearedAt: null })
    expect(await clearOldNotices(world.db)).toBe(0)
  })

  test('is emptied and closed by an erasure of the fan, and blocks a merge while it is open', async () => {
    const [fan, into] = [await namedFan(world), await namedFan(world)]
    const { receipt } = expectStatus(201, await send(world, { location: `/fans/${fan.handle}` }))
    const merge = { from: fan.id, into: into.id, mergedBy: 'Ana', reason: null }
    for (const { from, into } of [merge, { from: merge.into, into: merge.from }])
      await expect(world.db.write(tx => mergeFans(tx, { ...merge, from, into }))).rejects.toMatchObject({
        code: 'fans_not_mergeable',
        members: { blockedBy: ['report_open'] },
      })
    await erase(world, fan)
    expect(await noticeOf(world, receipt)).toMatchObject({
      ...{ fanId: fan.id, actionTaken: false, decidedBy: null, decidedAt: world.clock.now() },
      ...{ reference: null, location: null, explanation: null, evidence: null },
      // So that the notifier can be told.
      ...{ name: 'Ana Reis', email: 'ana@example.com' },
    })
    // The handle is nobody's now.
    const late = expectStatus(201, await send(world, { location: `/fans/${fan.handle}` }))
    expect(await noticeOf(world, late.receipt)).toMatchObject({ fanId: null })
  })

  test('stores the language in which the notifier is told the decision', async () => {
    const inLanguage = async (language: string) => {
      const request = new Request('http://localhost/api/notices', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-language': language },
        body: JSON.stringify(NOTICE),
      })
      const { receipt } = (await (await world.app.handle(request)).json()) as { receipt: string }
      return (await noticeOf(world, receipt))?.language
    }
    expect(await inLanguage('pt-BR,pt;q=0.9')).toBe('pt-BR')
    expect(await inLanguage('pt-PT')).toBe('pt')
    expect(await inLanguage('fi')).toBe('en')
  })
})

onEachEngine(
  'Too many notices of illegal content',
  world => {
    test('are refused by network address, and the log has none of their texts', async () => {
      const sent = await Promise.all(Array.from({ length: 6 }, () => send(world)))
      expect(sent.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 429, 429, 429])
      const refused = await send(world)
      expect(refused.body.code).toBe('rate_limited')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000)
      // What is no notice does not count.
      expect((await send(world, { goodFaith: false })).status).toBe(422)
      const { contentNotices } = world.db.tables
      expect(
        await world.db.read.select().from(contentNotices).orderBy(asc(contentNotices.place)),
      ).toHaveLength(3)
      const logged = JSON.stringify(world.logged)
      for (const text of [NOTICE.email, NOTICE.name, NOTICE.explanation, NOTICE.location])
        expect(logged).not.toContain(text)
    })
  },
  { env: { RATE_LIMITS: 'noticesPerAddress=3,notices=100' } },
)

onEachEngine(
  'Notices of illegal content of everybody',
  world => {
    test('are limited in an hour', async () => {
      const sent = []
      for (let n = 0; n < 6; n++) sent.push(await send(world))
      expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201, 429, 429])
    })
  },
  { env: { RATE_LIMITS: 'noticesPerAddress=100,notices=4' } },
)
